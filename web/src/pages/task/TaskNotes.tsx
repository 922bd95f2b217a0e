import { Anchor } from '@mantine/core';
import type { JobDetail, TaskDetail } from '../../api/types';
import { absolute, clock, plural } from '../../lib/format';
import { NEVER_HINT, waitText } from '../../lib/waits';
import { IconAlert, IconClock, IconInfo, IconResize } from '../../parts/icons';
import { Elapsed, RelativeTime } from '../../parts/RelativeTime';
import { StartTime } from '../../parts/StartTime';
import type { AttemptRow } from './lib/attempts';
import { roomText } from './lib/seat';
import styles from './task.module.css';

/** A task that waits: nothing is wrong. */
export function WaitingNote({ task, job, rows }: { task: TaskDetail; job?: JobDetail; rows: readonly AttemptRow[] }) {
  const before = rows.find(({ number }) => number === task.attempt - 1);
  const now = rows.find(({ current }) => current);
  const since = now?.created_at ?? task.created_at;
  const room = roomText(now?.room);
  const running = job?.counts.running ?? 0;
  const others = (job?.counts.submitted ?? 1) - 1;
  return (
    <section className={`app-panel ${styles.note}`} aria-label="Waiting">
      <IconClock className={styles.noteIcon} />
      <span>
        Waiting for <Elapsed from={since} to={null} />. <Why task={task} job={job} />
        {(running > 0 || others > 0) &&
          ` Of this job ${plural(running, 'task runs', 'tasks run')} and ${plural(others, 'other waits', 'others wait')}.`}
        {task.reason && ` ${task.reason}`}
        {before?.state === 'error' && before.ending && ` The attempt before ended: ${before.ending}.`}
        {room && ` This one waits for ${room}.`}
      </span>
    </section>
  );
}

/** The backend's reason, or one that follows from the task's own state. */
function Why({ task, job }: { task: TaskDetail; job: JobDetail | undefined }) {
  const waits =
    job?.waits ??
    task.waits ??
    (task.allocation?.reason ? { ...task.allocation, reason: task.allocation.reason } : null);
  if (!waits) return 'It starts by itself as soon as there is room.';
  return (
    <>
      {waitText(waits)}
      {waits.starts_at && !job?.waits?.never && (
        <>
          ; expected to start <StartTime at={waits.starts_at} />
        </>
      )}
      .{job?.waits?.never && !job.held && ` ${NEVER_HINT}`}
    </>
  );
}

/** A resize that is under way. */
export function ResizeNote({ task }: { task: TaskDetail }) {
  const running = task.state === 'running';
  return (
    <section className={`app-panel ${styles.note}`} aria-label="Resize">
      <IconResize className={styles.noteIcon} />
      <span>
        It {running ? 'goes on' : 'starts'} with <strong>{plural(task.size_wanted ?? 0, 'GPU')}</strong> as soon as that
        many are free{task.resize_by && `, for ${task.resize_by}`}
        {task.resize_why && `: ${task.resize_why}`}.{running && ' Until then it trains on as it is.'}
      </span>
    </section>
  );
}

/** A task of which nothing is heard: nobody knows whether it still runs. */
export function SilentNote({ since }: { since: string }) {
  return (
    <section className={`app-panel ${styles.note}`} aria-label="No report">
      <IconClock className={styles.noteIcon} />
      <span>
        No report from its runner since{' '}
        <time dateTime={since} title={absolute(since)}>
          {clock(since)}
        </time>{' '}
        (<RelativeTime at={since} />
        ). Its node, or the network to it, may be down. It counts as running until its runner or its backend says
        otherwise; if it is lost, it is tried again as the job says.
      </span>
    </section>
  );
}

/** That the page is about an attempt which is not the current one. */
export function OldAttemptNote(props: { attempt: AttemptRow; current: number; onCurrent: () => void }) {
  return (
    <section className={`app-panel ${styles.note}`} aria-label="Attempt shown">
      <IconInfo className={styles.noteIcon} />
      <span>
        Error, curves and log below are those of <strong>attempt {props.attempt.number}</strong>.{' '}
        <Anchor component="button" type="button" size="sm" onClick={props.onCurrent}>
          Show the current one ({props.current})
        </Anchor>
      </span>
    </section>
  );
}

export function Warnings({ texts }: { texts: readonly string[] }) {
  if (texts.length === 0) return null;
  return (
    <section className={`app-panel ${styles.note} ${styles.warning}`} aria-label="Warnings">
      <IconAlert className={styles.noteIcon} />
      <ul>
        {texts.map((text) => (
          <li key={text} className="app-wrap-anywhere">
            {text}
          </li>
        ))}
      </ul>
    </section>
  );
}
