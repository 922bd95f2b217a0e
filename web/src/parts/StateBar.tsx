import type { TaskCounts } from '../api/types';
import { integer } from '../lib/format';
import styles from './StateBar.module.css';
import { STATES, stateColor } from './states';

interface Props {
  counts: TaskCounts;
  /** Tasks that a search will yet make. */
  toCome?: number;
  height?: number;
  /** Names and numbers under the bar. */
  labels?: boolean;
}

/** How many tasks are in each state, as a bar. */
export function StateBar({ counts, toCome = 0, height = 8, labels = false }: Props) {
  const shown = STATES.filter((state) => (counts[state] ?? 0) > 0);
  const words = shown.map((state) => `${integer(counts[state])} ${state}`);
  if (toCome > 0) words.push(`${integer(toCome)} to come`);
  const summary = words.join(', ') || 'no tasks';
  return (
    <div>
      <div className={styles.bar} style={{ height }} role="img" aria-label={`Tasks: ${summary}`} title={summary}>
        {shown.map((state) => (
          <div
            key={state}
            className={styles.part}
            style={{ flexGrow: counts[state], background: stateColor(state) }}
            data-state={state}
          />
        ))}
        {toCome > 0 && <div style={{ flexGrow: toCome, flexBasis: 0 }} />}
      </div>
      {labels && (
        <div className={styles.counts}>
          {shown.map((state) => (
            <span key={state} className={styles.count}>
              <span className={styles.dot} style={{ background: stateColor(state) }} />
              {integer(counts[state])} {state}
            </span>
          ))}
          {toCome > 0 && <span className={styles.count}>{integer(toCome)} to come</span>}
        </div>
      )}
    </div>
  );
}
