import { type ReactNode, useId, useState } from 'react';
import { useAdvice } from '../../api/load';
import { useBackends } from '../../api/system';
import type { JobDetail, Outline } from '../../api/types';
import { plural } from '../../lib/format';
import { noWordText } from '../../lib/noWord';
import { NEVER_HINT, waitText } from '../../lib/waits';
import { BackendSilence } from '../../parts/BackendSilence';
import { Hints, URGENT } from '../../parts/Hints';
import {
  type Icon,
  IconAdvice,
  IconAlert,
  IconChevronDown,
  IconChevronUp,
  IconClock,
  IconPause,
  IconShare,
} from '../../parts/icons';
import { StartTime } from '../../parts/StartTime';
import { packingTitle, packingWords } from './lib/packing';
import styles from './Notices.module.css';

/** Something must be done; something may have to be done; good to know. */
type Level = 'urgent' | 'warning' | 'info';

export interface Notice {
  label: string;
  level: Level;
  icon: Icon;
  body: ReactNode;
}

const LEVELS: readonly Level[] = ['urgent', 'warning', 'info'];

interface Props {
  job: JobDetail;
  /** Not there while they are fetched. */
  tasks: readonly Outline[] | undefined;
}

/** All that is to be known about how a job stands, in one panel: what matters most comes first. */
export function Notices({ job, tasks }: Props) {
  const notices = useNotices(job, tasks);
  const [open, setOpen] = useState(true);
  const list = useId();
  const [first] = notices;
  if (!first) return null;
  const several = notices.length > 1;
  const shown = several && !open ? [first] : notices;
  return (
    <section className={`app-panel ${styles.panel}`} aria-label="Notices">
      {several && (
        <button
          type="button"
          className={styles.fold}
          aria-expanded={open}
          aria-controls={list}
          onClick={() => setOpen(!open)}
        >
          {plural(notices.length, 'notice')}
          {open ? <IconChevronUp size={14} /> : <IconChevronDown size={14} />}
        </button>
      )}
      <div id={list}>
        {shown.map(({ label, level, icon: Shown, body }) => (
          <section key={label} className={styles.notice} data-level={level} aria-label={label}>
            <Shown size={16} className={styles.icon} />
            <div className={styles.words}>{body}</div>
          </section>
        ))}
      </div>
    </section>
  );
}

/** The notices of a job. A new kind of notice is one more entry here. */
function useNotices(job: JobDetail, tasks: readonly Outline[] | undefined): Notice[] {
  const { data: advice = [] } = useAdvice(job.id, !job.ended && (job.counts.running ?? 0) > 0);
  const { data: backends = [] } = useBackends();
  const silent = backends.some(({ name, state }) => name === job.spec.resources?.backend && state !== 'ok');
  const found = [
    ofWarnings(job),
    ofWaits(job, silent),
    ofGivingWay(job),
    ofSilence(job),
    ofReduce(job, tasks),
    !job.ended && advice.length > 0
      ? {
          label: 'Advice for this job',
          level: advice.some(({ kind }) => URGENT.includes(kind)) ? ('warning' as const) : ('info' as const),
          icon: IconAdvice,
          body: <Hints hints={advice} />,
        }
      : null,
    ofPacking(job),
  ];
  const notices = found.filter((one) => one !== null);
  return notices.sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));
}

function ofWarnings({ warnings }: JobDetail): Notice | null {
  if (!warnings?.length) return null;
  const body = warnings.map((text) => <p key={text}>{text}</p>);
  return { label: 'Warnings', level: 'warning', icon: IconAlert, body };
}

/** Why tasks have not started, until when, and what can be done about it; that the backend does not answer. */
function ofWaits(job: JobDetail, silent: boolean): Notice | null {
  const { waits, held, ended } = job;
  if (ended || !(waits || held || silent)) return null;
  const never = waits?.never ?? false;
  const silence = <BackendSilence backend={job.spec.resources?.backend} seenAt={waits?.seen_at} />;
  const body =
    waits || held ? (
      <>
        {waits ? waitText(waits) : 'Held: it starts no further task until it is released'}
        {waits?.starts_at && !never && (
          <>
            ; expected to start <StartTime at={waits.starts_at} />
          </>
        )}
        .{held && ' What runs goes on.'}
        {never && !held && <span className={styles.hint}>{NEVER_HINT}</span>}
        {silence}
      </>
    ) : (
      silence
    );
  const level = never && !held ? 'urgent' : held || silent ? 'warning' : 'info';
  return { label: 'Waiting', level, icon: held ? IconPause : never ? IconAlert : IconClock, body };
}

/** For whom its allocations leave. */
function ofGivingWay({ giving_way, ended }: JobDetail): Notice | null {
  if (ended || !giving_way) return null;
  return { label: 'Making room', level: 'info', icon: IconClock, body: <>It makes room for {giving_way}.</> };
}

/** That nothing is heard of some of the tasks that run. */
function ofSilence({ no_word, counts }: JobDetail): Notice | null {
  if (!no_word) return null;
  const body = `${noWordText(no_word, counts.running ?? 0)}: nodes, or the network to them, may be down.`;
  return { label: 'No report', level: 'warning', icon: IconClock, body };
}

/** That the reduce command has not run, and what it waits for. Nothing while tasks run, or once it was begun. */
function ofReduce(job: JobDetail, tasks: readonly Outline[] | undefined): Notice | null {
  const badly = (job.counts.error ?? 0) + (job.counts.stopped ?? 0);
  if (!tasks || !job.spec.reduce || !job.ended || badly === 0 || tasks.some(({ reduces }) => reduces)) return null;
  const count = plural(badly, 'task has', 'tasks have');
  const body = `The reduce command has not run: it begins when all tasks have finished, and ${count} not. Restart ${
    badly === 1 ? 'it' : 'them'
  }, and it follows by itself.`;
  return { label: 'Reduce', level: 'warning', icon: IconClock, body };
}

/** How its tasks share GPUs. Nothing where each has its own. */
function ofPacking({ packing = [], ended }: JobDetail): Notice | null {
  if (packing.length === 0) return null;
  const body = packing.map((one) => (
    <div key={one.gpu}>
      <strong>{packingTitle(one, ended)}</strong>
      <span className={styles.hint}>{packingWords(one, ended).join(' · ')}</span>
    </div>
  ));
  return { label: 'Sharing GPUs', level: 'info', icon: IconShare, body };
}
