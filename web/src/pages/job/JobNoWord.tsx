import type { JobDetail } from '../../api/types';
import { noWordText } from '../../lib/noWord';
import { IconClock } from '../../parts/icons';
import styles from '../../parts/Waits.module.css';

/** That nothing is heard of some of the tasks that run. */
export function JobNoWord({ job }: { job: JobDetail }) {
  if (!job.no_word) return null;
  return (
    <section className={`app-panel ${styles.panel}`} aria-label="No report">
      <IconClock className={styles.icon} />
      <div className={styles.words}>
        {noWordText(job.no_word, job.counts.running ?? 0)}: nodes, or the network to them, may be down.
      </div>
    </section>
  );
}
