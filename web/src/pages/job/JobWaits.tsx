import type { JobDetail } from '../../api/types';
import { NEVER_HINT, waitText } from '../../lib/waits';
import { BackendSilence } from '../../parts/BackendSilence';
import { IconAlert, IconClock, IconPause } from '../../parts/icons';
import { StartTime } from '../../parts/StartTime';
import styles from '../../parts/Waits.module.css';

/** Why tasks of a job have not started, until when, and what can be done about it. */
export function JobWaits({ job }: { job: JobDetail }) {
  const { waits, held, ended } = job;
  const silence = !ended && <BackendSilence backend={job.spec.resources?.backend} seenAt={waits?.seen_at} />;
  if (ended || !(waits || held)) return silence;
  const never = waits?.never ?? false;
  const Icon = held ? IconPause : never ? IconAlert : IconClock;
  return (
    <section className={`app-panel ${styles.panel}`} data-never={never || held || undefined} aria-label="Waiting">
      <Icon className={styles.icon} />
      <div className={styles.words}>
        {waits ? waitText(waits) : 'Held: it starts no further task until it is released'}
        {waits?.starts_at && !never && (
          <>
            ; expected to start <StartTime at={waits.starts_at} />
          </>
        )}
        .{held && ' What runs goes on.'}
        {never && !held && <span className={styles.hint}>{NEVER_HINT}</span>}
        {silence}
      </div>
    </section>
  );
}
