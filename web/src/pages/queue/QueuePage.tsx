import { Anchor, Title } from '@mantine/core';
import { Link } from 'wouter';
import { useMe } from '../../api/me';
import { useQueue } from '../../api/queue';
import type { Expected, QueuedJob, SizeChange } from '../../api/types';
import { bandText } from '../../lib/expected';
import { absolute, NOTHING } from '../../lib/format';
import { waitText } from '../../lib/waits';
import { CardTable } from '../../parts/CardTable';
import { EmptyState } from '../../parts/EmptyState';
import { HeldBadge } from '../../parts/HeldBadge';
import { IconClock } from '../../parts/icons';
import { NextSizes } from '../../parts/NextSizes';
import { Loaded, Page } from '../../parts/Page';
import { Owner } from '../../parts/Person';
import { useNow } from '../../parts/RelativeTime';
import { StartTime } from '../../parts/StartTime';
import { Priority } from './Priority';
import styles from './Queue.module.css';
import { tasksText, waitingByBackend } from './queueLib';

/** What waits, in the order in which it goes on, and what runs: when each begins and ends. */
export default function QueuePage() {
  const queue = useQueue();
  return (
    <Page title="Queue">
      <Loaded query={queue} what="queue">
        {({ items, next = [] }) => <Shown jobs={items} next={next} />}
      </Loaded>
    </Page>
  );
}

function Shown({ jobs, next }: { jobs: readonly QueuedJob[]; next: readonly SizeChange[] }) {
  const { can } = useMe();
  const groups = waitingByBackend(jobs);
  const running = jobs.filter(({ waiting }) => waiting === 0);
  if (jobs.length === 0) {
    return (
      <EmptyState icon={IconClock} title="Nothing waits or runs">
        {can('submit') && (
          <>
            <Anchor component={Link} href="/new" inherit>
              Submit a job
            </Anchor>
            : it starts at once.
          </>
        )}
      </EmptyState>
    );
  }
  return (
    <>
      {groups.length === 0 && (
        <p className={styles.quiet}>Nothing waits: a job that is submitted now may start at once.</p>
      )}
      {groups.map(({ backend, jobs: waiting }) => (
        <section key={backend} className={styles.part}>
          <Title order={2} className={styles.title}>
            {`Waiting${groups.length > 1 ? ` for ${backend}` : ''}, in the order in which they go on`}
          </Title>
          <Table label={groups.length > 1 ? `Waiting for ${backend}` : 'Waiting'} jobs={waiting} waits />
        </section>
      ))}
      {groups.length > 0 && (
        <p className={styles.quiet}>
          Owners share what there is; of the jobs of one owner, the highest priority goes first. A time is a guess from
          what has run: in four of five cases it holds, unless it is called unsure. A turn that is missing is of a job
          that is private.
        </p>
      )}
      {next.length > 0 && (
        <section className={styles.part}>
          <Title order={2} className={styles.title}>
            Trainings that the policy would resize next
          </Title>
          <NextSizes changes={next} />
        </section>
      )}
      {running.length > 0 && (
        <section className={styles.part}>
          <Title order={2} className={styles.title}>
            Running, with nothing left to start
          </Title>
          <Table label="Running" jobs={running} />
        </section>
      )}
    </>
  );
}

interface TableProps {
  label: string;
  jobs: readonly QueuedJob[];
  /** They wait: with their turns, and why. */
  waits?: boolean;
}

function Table({ label, jobs, waits = false }: TableProps) {
  const { team } = useMe();
  const owner = team ? ['Owner'] : [];
  const columns = waits
    ? ['Turn', 'Job', ...owner, 'Tasks', 'Priority', 'Why it waits', 'Next start', 'Done']
    : ['Job', ...owner, 'Tasks', 'Done'];
  return (
    <CardTable label={label} columns={columns}>
      {jobs.map((job) => (
        <tr key={job.id}>
          {waits && <td className={styles.turn}>{job.place ?? NOTHING}</td>}
          <td data-wide>
            {job.place != null && (
              <span className={styles.narrowTurn} aria-hidden="true">
                {job.place}.{' '}
              </span>
            )}
            <Link className="app-link app-wrap-anywhere" href={`/jobs/${job.id}`}>
              {job.name || job.id}
            </Link>{' '}
            {job.held && <HeldBadge />}
            <small className={`app-mono ${styles.id}`}>{job.id}</small>
          </td>
          {team && (
            <td data-label="Owner">
              <Owner name={job.owner} />
            </td>
          )}
          <td data-label="Tasks" className={styles.figure}>
            {tasksText(job)}
          </td>
          {waits && (
            <>
              <td data-label="Priority">
                <Priority job={job} />
              </td>
              <td data-wide data-label="Why it waits" className={styles.why} data-never={job.waits?.never || undefined}>
                {job.waits ? waitText(job.waits) : 'Waits for its turn'}
              </td>
              <td data-label="Next start">
                <Band band={job.expected_start} at={job.waits?.never ? null : job.waits?.starts_at} />
              </td>
            </>
          )}
          <td data-label="Done">
            <Band band={job.expected_end} />
          </td>
        </tr>
      ))}
    </CardTable>
  );
}

interface BandProps {
  band: Expected | null | undefined;
  /** What the backend itself expects, where that is all there is. */
  at?: string | null | undefined;
}

function Band({ band, at }: BandProps) {
  const now = useNow();
  const text = bandText(band, now);
  if (band && text) {
    const title = `between ${absolute(band.early)} and ${absolute(band.late)}, most likely ${absolute(band.likely)}`;
    return <span title={title}>{text}</span>;
  }
  if (at) return <StartTime at={at} />;
  return <span className={styles.unknown}>not known</span>;
}
