import { Checkbox } from '@mantine/core';
import { type MouseEvent, memo } from 'react';
import { Link, useLocation } from 'wouter';
import type { Job } from '../../api/types';
import { measured } from '../../lib/format';
import { noWordText } from '../../lib/noWord';
import { isJudged } from '../../lib/objective';
import { waitText } from '../../lib/waits';
import { HeldBadge } from '../../parts/HeldBadge';
import { IconAlert, IconPin } from '../../parts/icons';
import { Owner, PrivateMark } from '../../parts/Person';
import { RelativeTime } from '../../parts/RelativeTime';
import { Sparkline } from '../../parts/Sparkline';
import { StateBar } from '../../parts/StateBar';
import type { Asked } from './JobDialogs';
import styles from './JobList.module.css';
import { JobMenu } from './JobMenu';
import { JobTime } from './JobTime';
import { bestText, failureText } from './jobsLib';

interface Props {
  job: Job;
  /** The one row that Tab goes to. */
  focusable: boolean;
  chosen: boolean;
  /** On or off; `range`: all rows from the one that was chosen last. */
  onChoose: (id: string, range: boolean) => void;
  onFocus: (id: string) => void;
  onTag: (tag: string) => void;
  onAsk: (asked: Asked) => void;
}

export const JobRow = memo(function JobRow(props: Props) {
  const { job, focusable, chosen, onChoose, onFocus, onTag, onAsk } = props;
  const [, navigate] = useLocation();
  const href = `/jobs/${job.id}`;
  const tabIndex = focusable ? 0 : -1;
  const open = (event: MouseEvent) => {
    // Links and buttons have their own meaning, and a text may be marked to copy it.
    if ((event.target as HTMLElement).closest('a, button, label, input')) return;
    if (event.shiftKey || event.ctrlKey || event.metaKey) onChoose(job.id, event.shiftKey);
    else if (!window.getSelection()?.toString()) navigate(href);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the link in it is what the keyboard has
    <li
      className={styles.row}
      data-job={job.id}
      data-chosen={chosen || undefined}
      onClick={open}
      onMouseDown={(event) => event.shiftKey && event.preventDefault()}
      onFocus={() => onFocus(job.id)}
    >
      <Checkbox
        size="xs"
        className={styles.choose}
        aria-label={`Choose ${job.name || job.id}`}
        checked={chosen}
        tabIndex={tabIndex}
        onClick={(event) => onChoose(job.id, event.shiftKey)}
        readOnly
      />
      <div className={styles.main}>
        <div className={styles.title}>
          <Link href={href} className={`app-link ${styles.name}`} data-row-link tabIndex={tabIndex}>
            {job.name || job.id}
          </Link>
          {job.pinned && (
            <span className={styles.pin} role="img" aria-label="pinned" title="Pinned: listed before the others">
              <IconPin size={14} />
            </span>
          )}
          {job.visibility === 'private' && <PrivateMark />}
          {job.held && <HeldBadge />}
          {(job.warnings ?? []).length > 0 && <Warnings texts={job.warnings ?? []} />}
          {job.tags.map((tag) => (
            <button
              key={tag}
              type="button"
              className={styles.tag}
              title={`Show jobs tagged ${tag}`}
              tabIndex={tabIndex}
              onClick={() => onTag(tag)}
            >
              {tag}
            </button>
          ))}
        </div>
        <About job={job} />
      </div>
      <div className={styles.tasks}>
        <StateBar counts={job.counts} toCome={job.searching ? (job.to_come ?? 0) : 0} labels />
      </div>
      <div className={styles.best}>
        {isJudged(job) && (
          <>
            <BestValue job={job} tabIndex={tabIndex} />
            <div className={styles.quiet} title={bestText(job)}>
              {bestText(job)}
            </div>
          </>
        )}
      </div>
      <div className={styles.curve}>
        <Sparkline
          values={job.sparkline ?? []}
          label={`${job.objective.metric} of the best ${job.best_trial == null ? 'task' : 'configuration'} of ${job.name}`}
        />
      </div>
      <div className={styles.time}>
        <JobTime job={job} />
      </div>
      <div className={styles.from}>
        <RelativeTime at={job.created_at} />
        <div className={styles.quiet} title={job.owner}>
          <Owner name={job.owner} />
        </div>
      </div>
      <div className={styles.menu}>
        <JobMenu job={job} tabIndex={tabIndex} onAsk={onAsk} />
      </div>
    </li>
  );
});

/** The id, why tasks wait, that nothing is heard of some, and what the job is about: in one line, all of it on hover. */
function About({ job }: { job: Job }) {
  const { id, waits, held, no_word: noWord, description } = job;
  // That it is held stands beside the name.
  const why = waits && !held ? waitText(waits) : '';
  const failure = failureText(job);
  return (
    <div className={styles.quiet} title={[failure, waits?.reason, description].filter(Boolean).join('\n') || undefined}>
      <span className="app-mono">{id}</span>
      {failure && (
        <>
          {' · '}
          <span className={styles.failure}>{failure}</span>
        </>
      )}
      {why && (
        <>
          {' · '}
          <span className={waits?.never ? styles.never : undefined}>{why}</span>
        </>
      )}
      {noWord && ` · ${noWordText(noWord, job.counts.running ?? 0)}`}
      {description && ` · ${description}`}
    </div>
  );
}

function BestValue({ job, tabIndex }: { job: Job; tabIndex: number }) {
  const value = measured(job.best_value, job.best_spread);
  if (!job.best_task) return <div className={`${styles.value} ${styles.none}`}>{value}</div>;
  return (
    <Link
      href={`/tasks/${job.best_task}`}
      className={`app-link ${styles.value}`}
      title={job.best_trial == null ? `Task ${job.best_task}` : `Configuration ${job.best_trial}: mean over its tasks`}
      tabIndex={tabIndex}
    >
      {value}
    </Link>
  );
}

function Warnings({ texts }: { texts: readonly string[] }) {
  const all = texts.join('\n');
  return (
    <span className={styles.warning} role="img" aria-label={`Warning: ${all}`} title={all}>
      <IconAlert size={15} />
    </span>
  );
}
