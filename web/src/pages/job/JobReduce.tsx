import type { JobDetail, Task } from '../../api/types';
import { plural } from '../../lib/format';
import { IconClock } from '../../parts/icons';
import styles from '../../parts/Waits.module.css';

/** That the reduce command has not run, and what it waits for. Nothing while tasks run, or once it was begun. */
export function JobReduce({ job, tasks }: { job: JobDetail; tasks: readonly Task[] | undefined }) {
  const badly = (job.counts.error ?? 0) + (job.counts.stopped ?? 0);
  if (!tasks || !job.spec.reduce || !job.ended || badly === 0 || tasks.some(({ reduces }) => reduces)) return null;
  return (
    <section className={`app-panel ${styles.panel}`} aria-label="Reduce">
      <IconClock className={styles.icon} />
      <div className={styles.words}>
        The reduce command has not run: it begins when all tasks have finished, and{' '}
        {plural(badly, 'task has', 'tasks have')} not. Restart {badly === 1 ? 'it' : 'them'}, and it follows by itself.
      </div>
    </section>
  );
}
