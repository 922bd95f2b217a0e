import { Link } from 'wouter';
import { useJob } from '../../api/jobs';
import { plural } from '../../lib/format';
import styles from './Hosts.module.css';
import { byJob } from './nodes';
import { RunningTask } from './RunningTask';

/** Tasks that run, those of one job together. */
export function RunningTasks({ tasks }: { tasks: readonly string[] }) {
  return byJob(tasks).map(({ job, tasks: its }) =>
    its.length === 1 ? (
      <RunningTask key={job} task={its[0] as string} />
    ) : (
      <JobTasks key={job} job={job} count={its.length} />
    ),
  );
}

function JobTasks({ job, count }: { job: string; count: number }) {
  const { data } = useJob(job);
  return (
    <Link href={`/jobs/${job}?state=running`} className={`app-link ${styles.task}`} title={data?.name || job}>
      <span>{data?.name || job}</span>
      <span>{plural(count, 'task')}</span>
    </Link>
  );
}
