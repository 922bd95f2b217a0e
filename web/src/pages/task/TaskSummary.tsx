import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useTrial } from '../../api/tasks';
import type { JobDetail, TaskDetail } from '../../api/types';
import { bandText } from '../../lib/expected';
import { bytes, duration, NOTHING, number } from '../../lib/format';
import { isJudged, stepName } from '../../lib/objective';
import { quietText } from '../../lib/progress';
import { ParamChips } from '../../parts/ParamChips';
import { Progress } from '../../parts/Progress';
import { Elapsed, RelativeTime, useNow } from '../../parts/RelativeTime';
import { StateBadge } from '../../parts/StateBadge';
import { whereOf } from './lib/attempts';
import { sharingText } from './lib/seat';
import styles from './task.module.css';

interface Props {
  task: TaskDetail;
  job: JobDetail | undefined;
}

/** Where the task stands, at a glance. */
export function TaskSummary({ task, job }: Props) {
  return (
    <section className={`app-panel ${styles.summary}`} aria-label="Summary">
      <div className={styles.status}>
        <StateBadge state={task.state} stopping={task.stopping} silent={!!task.no_word_since} />
        <div className={styles.progress}>
          <Progress task={task} height={8} step={stepName(job)} />
        </div>
      </div>
      {(task.reduces || Object.keys(task.params).length > 0) && (
        <ParamChips params={task.params} reduces={task.reduces} />
      )}
      <dl className={styles.facts}>
        {(!job || isJudged(job)) && (
          <>
            <Fact name={`Best ${job?.objective.metric ?? 'value'}`} below={<BestWhen task={task} />}>
              {number(task.best_value, 5)}
            </Fact>
            <Fact name="Last" below={task.epoch == null ? null : `epoch ${number(task.epoch)}`}>
              {number(task.last_value, 5)}
            </Fact>
          </>
        )}
        <Fact name={task.ended_at ? 'Took' : 'Running for'} below={<When task={task} />}>
          {task.started_at ? <Elapsed from={task.started_at} to={task.ended_at} /> : NOTHING}
        </Fact>
        {!task.ended_at && <TimeLeft task={task} />}
        <Fact name="Peak memory">{bytes(task.peak_memory)}</Fact>
        {task.peak_gpu_memory != null && <Fact name="Peak GPU memory">{bytes(task.peak_gpu_memory)}</Fact>}
        {task.ended_at && <Fact name="CPU time">{duration(task.cpu_seconds)}</Fact>}
        {(job?.spec.other_objectives ?? []).map((objective, i) => (
          <Fact key={objective.metric} name={`Best ${objective.metric}`}>
            {number(task.values?.[i + 1], 5)}
          </Fact>
        ))}
        {job && <Trial task={task} job={job} />}
        <Fact name="Where" below={whereBelow(task)}>
          {whereOf(task) ?? NOTHING}
        </Fact>
      </dl>
    </section>
  );
}

function TimeLeft({ task }: { task: TaskDetail }) {
  const now = useNow();
  const quiet = quietText(task, now);
  const known = !task.no_word_since && !quiet;
  const [start, done] = [task.expected_start, task.expected_end].map((band) => bandText(band, now));
  const when = [start && `starts ${start}`, done && `done ${done}`].filter(Boolean).join(', ');
  return (
    <Fact name="Time left" below={known ? when : !task.no_word_since && quiet}>
      {duration(known ? task.seconds_left : null)}
    </Fact>
  );
}

/** `attempt 2 · shares the GPU through NVIDIA MPS` */
function whereBelow({ attempt, seat }: TaskDetail): string {
  const parts = [attempt > 1 && `attempt ${attempt}`, seat?.sharing && sharingText({ sharing: seat.sharing })];
  return parts.filter(Boolean).join(' · ');
}

/** Which trial of the search it is, and the other tasks of it. */
function Trial({ task, job }: { task: TaskDetail; job: JobDetail }) {
  const repeated = (job.spec.search?.repeat ?? 1) > 1;
  if (task.reduces || (!repeated && task.trial === task.number)) return null;
  return (
    <Fact name="Trial" below={repeated && <Repeats task={task} />}>
      {String(task.trial)}
    </Fact>
  );
}

function Repeats({ task }: { task: TaskDetail }) {
  const { data } = useTrial(task.job, task.trial);
  const others = (data?.items ?? []).filter(({ id }) => id !== task.id);
  if (others.length === 0) return null;
  return (
    <>
      also{' '}
      {others.map(({ id, number: at }, i) => (
        <span key={id}>
          {i > 0 && ', '}
          <Link className="app-link" data-inline href={`/tasks/${id}`}>
            task {at}
          </Link>
        </span>
      ))}
    </>
  );
}

function Fact({ name, below, children }: { name: string; below?: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong>{children}</strong>
        <small>{below}</small>
      </dd>
    </div>
  );
}

function BestWhen({ task }: { task: TaskDetail }) {
  if (task.best_value == null) return null;
  return (
    <>
      {task.best_epoch != null && `epoch ${number(task.best_epoch)}`}
      {task.best_epoch != null && task.best_at && ' · '}
      {task.best_at && <RelativeTime at={task.best_at} />}
    </>
  );
}

function When({ task }: { task: TaskDetail }) {
  const [word, at] = task.ended_at
    ? ['ended', task.ended_at]
    : task.started_at
      ? ['started', task.started_at]
      : ['submitted', task.created_at];
  return (
    <>
      {word} <RelativeTime at={at} />
    </>
  );
}
