import type { TaskState } from '../api/types';
import { integer } from '../lib/format';
import styles from './StateBadge.module.css';
import { STATE_ICONS } from './states';

interface Props {
  state: TaskState;
  /** A stop was asked for and is under way. */
  stopping?: boolean;
  /** Nothing is heard of it: it turns no more, as nobody knows. */
  silent?: boolean;
  /** Shown after the name: how many. */
  count?: number;
}

export function StateBadge({ state, stopping = false, silent = false, count }: Props) {
  const StateIcon = STATE_ICONS[state];
  return (
    <span
      className={`${styles.badge} ${state === 'running' && !silent ? styles.spin : ''}`}
      style={{ color: `var(--state-${state}-fg)`, background: `var(--state-${state}-bg)` }}
      data-state={state}
    >
      <StateIcon size={13} />
      {stopping ? 'stopping' : state}
      {count !== undefined && <strong>{integer(count)}</strong>}
    </span>
  );
}
