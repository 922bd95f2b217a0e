import type { Job } from '../../api/types';
import { duration, secondsBetween } from '../../lib/format';
import { quietText } from '../../lib/progress';
import { Elapsed, RelativeTime, useNow } from '../../parts/RelativeTime';
import styles from './JobList.module.css';

/** The time left of a job that goes on, and how long it has taken. Always two lines, so that no row moves. */
export function JobTime({ job }: { job: Job }) {
  if (job.ended) {
    return (
      <>
        <div className={styles.quiet}>ended {job.ended_at && <RelativeTime at={job.ended_at} />}</div>
        <div className={styles.quiet}>took {duration(secondsBetween(job.created_at, job.ended_at))}</div>
      </>
    );
  }
  return (
    <>
      <Left job={job} />
      <div className={styles.quiet}>
        <Elapsed from={job.created_at} to={null} /> so far
      </div>
    </>
  );
}

function Left({ job }: { job: Job }) {
  const quiet = quietText(job, useNow());
  if (quiet && !job.no_word) return <div className={styles.quiet}>{quiet}</div>;
  if (job.seconds_left != null) return <div>{duration(job.seconds_left)} left</div>;
  return <div title="There is no estimate yet">{job.counts.running ? '–' : job.held ? 'held' : 'waiting'}</div>;
}
