import { Link } from 'wouter';
import { useJob } from '../../api/jobs';
import styles from './Hosts.module.css';
import { splitTask } from './nodes';

/** A task that runs, by the name of its job and its number. */
export function RunningTask({ task }: { task: string }) {
  const { job, number } = splitTask(task);
  const { data } = useJob(job);
  return (
    <Link href={`/tasks/${task}`} className={`app-link ${styles.task}`} title={`${data?.name ?? job}: task ${task}`}>
      <span>{data?.name || job}</span>
      <span>#{number}</span>
    </Link>
  );
}
