import type { Task } from '../api/types';
import { duration, percent } from '../lib/format';
import { epochText, quietText } from '../lib/progress';
import styles from './Progress.module.css';
import { useNow } from './RelativeTime';
import { stateColor } from './states';

interface Props {
  task: Pick<Task, 'state' | 'progress' | 'epoch' | 'no_word_since'> & Partial<Task>;
  height?: number;
  /** Epoch and time left beside the bar. */
  text?: boolean;
  /** What it counts. */
  step?: string;
}

/** How far a task is, with its epoch and the time left, which nobody knows while nothing is heard of it. */
export function Progress({ task, height = 6, text = true, step = 'epoch' }: Props) {
  const part = task.progress ?? (task.state === 'finished' ? 1 : null);
  const epochs = epochText(task, step);
  const runs = task.state === 'running' && !task.no_word_since;
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
      {text && (
        <span className={styles.text}>
          {epochs}
          {runs && <Left task={task} before={epochs ? ' · ' : ''} />}
        </span>
      )}
    </div>
  );
}

/** `12 s left`, or that nothing is reported. */
function Left({ task, before }: { task: Partial<Task>; before: string }) {
  const quiet = quietText(task, useNow());
  const text = quiet ?? (task.seconds_left == null ? null : `${duration(task.seconds_left)} left`);
  return text && before + text;
}
