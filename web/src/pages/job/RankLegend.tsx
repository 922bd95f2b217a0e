import { rankColor } from '../../lib/colors';
import styles from './Job.module.css';
import { bestColor } from './lib/ranks';

/** What the colours of many configurations mean. */
export function RankLegend({ metric, dark }: { metric: string; dark: boolean }) {
  const from = rankColor(1, dark);
  const to = rankColor(0, dark);
  return (
    <>
      <span className={styles.legend}>
        worse
        <span className={styles.gradient} style={{ background: `linear-gradient(to right, ${from}, ${to})` }} />
        better {metric}
      </span>
      <span className={styles.legend}>
        <span className={styles.swatch} style={{ background: bestColor(dark), margin: 0 }} /> the best
      </span>
    </>
  );
}
