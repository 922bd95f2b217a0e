import { ActionIcon, Badge, Group, Text } from '@mantine/core';
import { lazy, memo, type ReactNode, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { useMe } from '../../api/me';
import type { JobDetail, Outline } from '../../api/types';
import { bandText } from '../../lib/expected';
import { duration, measured, number, plural } from '../../lib/format';
import { isJudged, isOpen } from '../../lib/objective';
import { paramLabel } from '../../lib/params';
import { quietText } from '../../lib/progress';
import { CopyButton } from '../../parts/CopyButton';
import { HeldBadge } from '../../parts/HeldBadge';
import { IconEdit } from '../../parts/icons';
import { LazyMarkdown } from '../../parts/LazyMarkdown';
import { Owner, PrivateMark } from '../../parts/Person';
import { Elapsed, RelativeTime, useNow } from '../../parts/RelativeTime';
import { StateBar } from '../../parts/StateBar';
import { taskTotal } from '../../parts/states';
import styles from './Job.module.css';
import { trialText } from './lib/extend';
import { Notices } from './Notices';

const ObjectiveJob = lazy(() => import('./ObjectiveJob'));

interface Props {
  job: JobDetail;
  /** Not there while they are fetched. */
  tasks: Outline[] | undefined;
}

/** What a job is, and how it stands. */
export const JobHeader = memo(function JobHeader({ job, tasks }: Props) {
  const best = tasks?.find(({ id }) => id === job.best_task);
  return (
    <div>
      <Description text={job.description} />
      <Group gap="xs" mb="sm" className={styles.meta}>
        {job.held && <HeldBadge />}
        {job.pinned && <span>pinned</span>}
        {job.priority !== 0 && job.priority !== undefined && <span>priority {job.priority}</span>}
        <span className="app-mono">{job.id}</span>
        <CopyButton text={job.id} label="Copy the job's id" />
        <Owner name={job.owner} />
        {job.visibility === 'private' && <PrivateMark />}
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
        {(isJudged(job) || isOpen(job)) && (
          <Figure name={<ObjectiveName job={job} />} note={<BestNote job={job} best={best} />}>
            {measured(job.best_value, job.best_spread, 5)}
          </Figure>
        )}
        {job.ended ? (
          <Figure name="Took" note={<Ended at={job.ended_at} />}>
            <Elapsed from={job.created_at} to={job.ended_at ?? job.created_at} />
          </Figure>
        ) : (
          <TimeLeft job={job} />
        )}
        <div className={styles.states}>
          <div className={styles.figureName}>
            {job.configurations != null && `${plural(job.configurations, 'configuration')}, `}
            {plural(taskTotal(job.counts), 'task')}
            {job.searching && tasks && `, ${trialText(tasks, job.to_come, job.spec.search?.repeat ?? 1)}`}
          </div>
          <StateBar counts={job.counts} toCome={toCome(job)} height={12} labels />
        </div>
      </div>
      <Notices job={job} tasks={tasks} />
    </div>
  );
});

/** How many tasks the search will yet make, where it is known. */
function toCome(job: JobDetail): number {
  return job.searching ? (job.to_come ?? 0) : 0;
}

/** Of which metric the best value is shown, and the way to another. */
function ObjectiveName({ job }: { job: JobDetail }) {
  const { can } = useMe();
  const [opened, setOpened] = useState(false);
  const [asked, setAsked] = useState(false);
  const { metric, goal } = job.objective;
  const open = () => {
    setAsked(true);
    setOpened(true);
  };
  const text = metric ? `Best ${job.best_trial == null ? '' : 'mean '}${metric}` : 'Objective';
  const title = metric ? `${goal === 'max' ? 'the largest' : 'the smallest'}; ${job.objective_choice?.why}` : undefined;
  return (
    <span className={styles.objectiveName}>
      <span title={title} className="app-wrap-anywhere">
        {text}
      </span>
      {can('edit', job) && (
        <ActionIcon size="sm" variant="subtle" color="gray" aria-label="Change the objective" onClick={open}>
          <IconEdit size={14} />
        </ActionIcon>
      )}
      {asked && (
        <Suspense>
          <ObjectiveJob job={job} opened={opened} onClose={() => setOpened(false)} />
        </Suspense>
      )}
    </span>
  );
}

function BestNote({ job, best }: { job: JobDetail; best: Outline | undefined }) {
  const { by, why } = job.objective_choice ?? {};
  return (
    <>
      {best && (job.best_trial == null ? <BestTask task={best} /> : <BestConfiguration job={job} task={best} />)}
      {by === 'auto' && <div className={styles.why}>{why}</div>}
    </>
  );
}

function Figure({ name, note, children }: { name: ReactNode; note?: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.figure}>
      <div className={styles.figureName}>{name}</div>
      <div className={styles.figureValue}>{children}</div>
      <div className={styles.figureNote}>{note}</div>
    </div>
  );
}

function TimeLeft({ job }: { job: JobDetail }) {
  const now = useNow();
  const quiet = job.no_word ? null : quietText(job, now);
  const running = `${(job.counts.running ?? 0).toLocaleString('en-US')} running`;
  const done = quiet ? null : bandText(job.expected_end, now);
  return (
    <Figure name="Time left" note={quiet ? `${running}, ${quiet}` : done ? `${running}, done ${done}` : running}>
      {duration(quiet ? null : job.seconds_left)}
    </Figure>
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

function BestTask({ task }: { task: Outline }) {
  const config = paramLabel(task.params, Object.keys(task.params));
  return (
    <Link className="app-link" href={`/tasks/${task.id}`} title={config}>
      task {task.number}
      {task.best_epoch != null && `, epoch ${number(task.best_epoch)}`}
    </Link>
  );
}

function BestConfiguration({ job, task }: { job: JobDetail; task: Outline }) {
  const config = paramLabel(task.params, Object.keys(task.params));
  return (
    <Link className="app-link" href={`/tasks/${task.id}`} title={config}>
      configuration {job.best_trial} of {job.configurations}, such as task {task.number}
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
      <Text
        size="sm"
        component="div"
        className={`${styles.words} app-wrap-anywhere`}
        lineClamp={long && !open ? 3 : undefined}
      >
        <LazyMarkdown text={text} />
      </Text>
      {long && (
        <button type="button" className={styles.more} aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Show less' : 'Show all'}
        </button>
      )}
    </div>
  );
}
