import { Alert, Badge, Group, Text } from '@mantine/core';
import { memo, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { JobDetail, Task } from '../../api/types';
import { duration, number, plural } from '../../lib/format';
import { isJudged } from '../../lib/objective';
import { paramLabel } from '../../lib/params';
import { CopyButton } from '../../parts/CopyButton';
import { HeldBadge } from '../../parts/HeldBadge';
import { IconAlert } from '../../parts/icons';
import { Elapsed, RelativeTime } from '../../parts/RelativeTime';
import { StateBar } from '../../parts/StateBar';
import { taskTotal } from '../../parts/states';
import styles from './Job.module.css';
import { JobAdvice } from './JobAdvice';
import { JobNoWord } from './JobNoWord';
import { JobPacking } from './JobPacking';
import { JobReduce } from './JobReduce';
import { JobWaits } from './JobWaits';
import { trialText } from './lib/extend';

interface Props {
  job: JobDetail;
  /** Not there while they are fetched. */
  tasks: Task[] | undefined;
}

/** What a job is, and how it stands. */
export const JobHeader = memo(function JobHeader({ job, tasks }: Props) {
  const best = tasks?.find(({ id }) => id === job.best_task);
  return (
    <div>
      <Description text={job.description} />
      <Group gap="xs" mb="sm" className={styles.meta}>
        {job.held && <HeldBadge />}
        <span className="app-mono">{job.id}</span>
        <CopyButton text={job.id} label="Copy the job's id" />
        <span>{job.owner}</span>
        <span>
          submitted <RelativeTime at={job.created_at} />
        </span>
        {job.tags.map((tag) => (
          <Badge
            key={tag}
            variant="default"
            tt="none"
            radius="sm"
            className={styles.tag}
            component={Link}
            href={`/?tag=${encodeURIComponent(tag)}`}
          >
            {tag}
          </Badge>
        ))}
      </Group>
      <div className={`app-panel ${styles.summary}`}>
        {isJudged(job) && (
          <Figure name={`Best ${job.objective.metric}`} note={best && <BestTask task={best} />}>
            {number(job.best_value, 5)}
          </Figure>
        )}
        {job.ended ? (
          <Figure name="Took" note={<Ended at={job.ended_at} />}>
            <Elapsed from={job.created_at} to={job.ended_at ?? job.created_at} />
          </Figure>
        ) : (
          <Figure name="Time left" note={`${(job.counts.running ?? 0).toLocaleString('en-US')} running`}>
            {duration(job.seconds_left)}
          </Figure>
        )}
        <div className={styles.states}>
          <div className={styles.figureName}>
            {plural(taskTotal(job.counts), 'task')}
            {job.searching && tasks && `, ${trialText(tasks, job.to_come, job.spec.search?.repeat ?? 1)}`}
          </div>
          <StateBar counts={job.counts} toCome={toCome(job)} height={12} labels />
        </div>
      </div>
      <div className={styles.waits}>
        <JobWaits job={job} />
      </div>
      <div className={styles.waits}>
        <JobNoWord job={job} />
      </div>
      <div className={styles.waits}>
        <JobReduce job={job} tasks={tasks} />
      </div>
      <div className={styles.waits}>
        <JobPacking job={job} />
      </div>
      <div className={styles.waits}>
        <JobAdvice job={job} />
      </div>
      <Warnings texts={job.warnings} />
    </div>
  );
});

/** How many tasks the search will yet make, where it is known. */
function toCome(job: JobDetail): number {
  return job.searching ? (job.to_come ?? 0) : 0;
}

function Figure({ name, note, children }: { name: string; note?: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.figure}>
      <div className={styles.figureName}>{name}</div>
      <div className={styles.figureValue}>{children}</div>
      <div className={styles.figureNote}>{note}</div>
    </div>
  );
}

function Ended({ at }: { at: string | null | undefined }) {
  return (
    at && (
      <>
        ended <RelativeTime at={at} />
      </>
    )
  );
}

function BestTask({ task }: { task: Task }) {
  const config = paramLabel(task.params, Object.keys(task.params));
  return (
    <Link className="app-link" href={`/tasks/${task.id}`} title={config}>
      task {task.number}
      {task.best_epoch != null && `, epoch ${number(task.best_epoch)}`}
    </Link>
  );
}

const LONG = 240;

function Description({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  if (!text) return null;
  const long = text.length > LONG || text.split('\n').length > 3;
  return (
    <div className={styles.description}>
      <Text size="sm" className={`${styles.words} app-wrap-anywhere`} lineClamp={long && !open ? 3 : undefined}>
        {text}
      </Text>
      {long && (
        <button type="button" className={styles.more} aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Show less' : 'Show all'}
        </button>
      )}
    </div>
  );
}

function Warnings({ texts }: { texts: string[] | undefined }) {
  if (!texts?.length) return null;
  return (
    <Alert mt="sm" color="yellow.9" variant="outline" icon={<IconAlert size={18} />} p="xs" aria-label="Warnings">
      {texts.map((text) => (
        <Text key={text} size="sm" className="app-wrap-anywhere">
          {text}
        </Text>
      ))}
    </Alert>
  );
}
