import { percent } from '../../lib/format';
import styles from './Job.module.css';
import type { Matter } from './lib/matters';

interface Props {
  matters: readonly Matter[];
  metric: string;
  chosen: string;
  onChoose: (name: string) => void;
}

/** Which parameters go along with the differences in the objective; a click shows one. */
export function Matters({ matters, metric, chosen, onChoose }: Props) {
  if (matters.length < 2 || matters.every(({ part }) => part === null)) return null;
  return (
    <div className={styles.matters}>
      <div className={styles.figureName} title={`How much of the order by ${metric} goes along with a parameter alone`}>
        What matters for {metric}
      </div>
      {matters.map(({ name, part }) => (
        <button
          key={name}
          type="button"
          className={styles.matter}
          aria-pressed={name === chosen}
          onClick={() => onChoose(name)}
        >
          <span className={styles.matterName} title={name}>
            {name}
          </span>
          <span>{percent(part)}</span>
          <span className={styles.matterBar}>
            <span style={{ width: `${(part ?? 0) * 100}%` }} />
          </span>
        </button>
      ))}
    </div>
  );
}
