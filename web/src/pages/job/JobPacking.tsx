import type { JobDetail } from '../../api/types';
import { IconShare } from '../../parts/icons';
import styles from '../../parts/Waits.module.css';
import { packingTitle, packingWords } from './lib/packing';

/** How its tasks share GPUs. Nothing where each has its own. */
export function JobPacking({ job: { packing = [], ended } }: { job: JobDetail }) {
  if (packing.length === 0) return null;
  return (
    <section className={`app-panel ${styles.panel}`} aria-label="Sharing GPUs">
      <IconShare className={styles.icon} />
      <div className={styles.words}>
        {packing.map((one) => (
          <div key={one.gpu} className={styles.part}>
            <strong>{packingTitle(one, ended)}</strong>
            <span className={styles.hint}>{packingWords(one, ended).join(' · ')}</span>
          </div>
        ))}
      </div>
    </section>
  );
}
