import { ActionIcon, Tooltip } from '@mantine/core';
import { Link, useSearch } from 'wouter';
import type { JobDetail, TaskDetail } from '../../api/types';
import { integer } from '../../lib/format';
import { IconBack, IconChevronRight } from '../../parts/icons';
import { carriedSearch, neighbours } from './lib/neighbours';
import styles from './task.module.css';

interface Props {
  task: TaskDetail;
  job: JobDetail | undefined;
}

/** Back to the job, and to the tasks beside this one. */
export function TaskCrumbs({ task, job }: Props) {
  const total = Object.values(job?.counts ?? {}).reduce((sum, count) => sum + (count ?? 0), 0);
  const { previous, next } = neighbours(task, total);
  return (
    <nav className={styles.crumbs} aria-label="Job and tasks">
      <Link href={`/jobs/${task.job}`} className={`app-link app-wrap-anywhere ${styles.crumb}`}>
        <IconBack size={15} />
        {job?.name || task.job}
      </Link>
      <span className={styles.steps}>
        <Step to={previous} label="Previous task" className={styles.back} />
        <span>
          {integer(task.number)} of {total ? integer(total) : '…'}
        </span>
        <Step to={next} label="Next task" />
      </span>
    </nav>
  );
}

function Step({ to, label, className }: { to: string | null; label: string; className?: string }) {
  const search = useSearch();
  const shown = <IconChevronRight className={className} />;
  if (to === null) {
    return (
      <ActionIcon size="sm" disabled aria-label={label}>
        {shown}
      </ActionIcon>
    );
  }
  return (
    <Tooltip label={label}>
      <ActionIcon size="sm" component={Link} href={`/tasks/${to}${carriedSearch(search)}`} aria-label={label}>
        {shown}
      </ActionIcon>
    </Tooltip>
  );
}
