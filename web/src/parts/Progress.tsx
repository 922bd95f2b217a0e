import type { Task } from '../api/types';
import { duration, number, percent } from '../lib/format';
import styles from './Progress.module.css';
import { stateColor } from './states';

interface Props {
  task: Pick<Task, 'state' | 'progress' | 'epoch' | 'seconds_left' | 'no_word_since'>;
  height?: number;
  /** Epoch and time left beside the bar. */
  text?: boolean;
  /** What it counts. */
  step?: string;
}

/** How far a task is, with its epoch and the time left, which nobody knows while nothing is heard of it. */
export function Progress({ task, height = 6, text = true, step = 'epoch' }: Props) {
  const part = task.progress ?? (task.state === 'finished' ? 1 : null);
  const words = [
    task.epoch === null || task.epoch === undefined ? null : `${step} ${number(task.epoch)}`,
    task.state === 'running' && task.seconds_left != null && !task.no_word_since
      ? `${duration(task.seconds_left)} left`
      : null,
  ].filter((word) => word !== null);
  return (
    <div className={styles.row}>
      <div
        className={styles.track}
        style={{ height }}
        role="progressbar"
        aria-label="Progress"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={part === null ? undefined : Math.round(part * 100)}
        title={part === null ? 'progress unknown' : percent(part)}
      >
        <div className={styles.fill} style={{ width: `${(part ?? 0) * 100}%`, background: stateColor(task.state) }} />
      </div>
      {text && words.length > 0 && <span className={styles.text}>{words.join(' · ')}</span>}
    </div>
  );
}
