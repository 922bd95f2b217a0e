import { Checkbox, Pagination } from '@mantine/core';
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react';
import type { Job, JobPage } from '../../api/types';
import { focusRow } from './focusRow';
import type { Asked } from './JobDialogs';
import styles from './JobList.module.css';
import { JobRow } from './JobRow';
import { holdOrder, nextRow, pageCount, rangeText, select } from './jobsLib';
import { SelectedJobs } from './SelectedJobs';

interface Props {
  found: JobPage;
  page: number;
  onPage: (page: number) => void;
  onTag: (tag: string) => void;
  onAsk: (asked: Asked) => void;
}

const NONE: ReadonlyMap<string, Job> = new Map();

/** One page of jobs. Arrows go from row to row, Space chooses; rows do not move while the pointer is on them. */
export function JobList({ found, page, onPage, onTag, onAsk }: Props) {
  const top = useRef<HTMLDivElement>(null);
  const [held, setHeld] = useState<string[] | null>(null);
  const [active, setActive] = useState<string | null>(null);
  // A person who pins a job expects it to move.
  const pins = found.items.flatMap(({ id, pinned }) => (pinned ? [id] : [])).join();
  const [seenPins, setSeenPins] = useState(pins);
  if (pins !== seenPins) {
    setSeenPins(pins);
    setHeld(null);
  }
  const { shown, waiting } = holdOrder(found.items, held);
  const focusable = shown.some(({ id }) => id === active) ? active : shown[0]?.id;
  const pages = pageCount(found.total);
  // Whole jobs, as those of other pages stay chosen.
  const [chosen, setChosen] = useState(NONE);
  const last = useRef<string | null>(null);
  const known = useRef(shown);
  known.current = shown;
  const onChoose = useCallback((id: string, range: boolean) => {
    const listed = known.current;
    setChosen((before) => {
      const ids = select(
        new Set(before.keys()),
        listed.map((job) => job.id),
        id,
        range ? last.current : null,
      );
      const all = new Map([...before, ...listed.map((job) => [job.id, job] as const)]);
      last.current = id;
      return new Map([...ids].flatMap((one) => (all.has(one) ? [[one, all.get(one) as Job]] : [])));
    });
  }, []);
  const onClear = useCallback(() => setChosen(NONE), []);
  const fresh = [...chosen.values()].map((job) => found.items.find(({ id }) => id === job.id) ?? job);
  const allShown = shown.length > 0 && shown.every(({ id }) => chosen.has(id));
  const chooseAll = () => {
    const here = shown.map((job) => [job.id, job] as const);
    setChosen(allShown ? NONE : new Map([...chosen, ...here]));
  };
  useEffect(() => {
    const onEscape = (event: globalThis.KeyboardEvent) => {
      // A dialog or a menu that is open has it first.
      if (event.key === 'Escape' && !event.defaultPrevented && !document.querySelector('[role=dialog], [role=menu]'))
        onClear();
    };
    window.addEventListener('keydown', onEscape);
    return () => window.removeEventListener('keydown', onEscape);
  }, [onClear]);

  const onKey = (event: KeyboardEvent<HTMLUListElement>) => {
    if (!(event.target as HTMLElement).hasAttribute('data-row-link')) return;
    const index = shown.findIndex(({ id }) => id === active);
    if (event.key === ' ' && active !== null) {
      event.preventDefault();
      onChoose(active, event.shiftKey);
      return;
    }
    const next = nextRow(event.key, index, shown.length);
    if (next === null) return;
    event.preventDefault();
    focusRow(next);
  };
  const turn = (to: number) => {
    onPage(to);
    top.current?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <>
      <div className={styles.count} ref={top}>
        {fresh.length > 0 ? (
          <SelectedJobs jobs={fresh} onClear={onClear} />
        ) : (
          <>
            {rangeText(found.total, found.offset, found.items.length)}
            {waiting > 0 && <span className={styles.waiting}> · {waiting} new</span>}
          </>
        )}
      </div>
      <div className="app-panel">
        <div className={styles.head}>
          <Checkbox
            size="xs"
            aria-label="Choose all jobs of this page"
            checked={allShown}
            indeterminate={!allShown && shown.some(({ id }) => chosen.has(id))}
            onChange={chooseAll}
          />
          {['Job', 'Tasks', 'Best value', 'Curve', 'Time', 'Submitted'].map((name) => (
            <span key={name} aria-hidden="true">
              {name}
            </span>
          ))}
        </div>
        <ul
          className={styles.list}
          aria-label="Jobs"
          onKeyDown={onKey}
          onPointerEnter={(event) => event.pointerType === 'mouse' && setHeld(shown.map(({ id }) => id))}
          onPointerLeave={() => setHeld(null)}
        >
          {shown.map((job) => (
            <JobRow
              key={job.id}
              job={job}
              focusable={job.id === focusable}
              chosen={chosen.has(job.id)}
              onChoose={onChoose}
              onFocus={setActive}
              onTag={onTag}
              onAsk={onAsk}
            />
          ))}
        </ul>
      </div>
      {pages > 1 && (
        <nav className={styles.pages} aria-label="Pages of jobs">
          <Pagination
            total={pages}
            value={Math.min(page, pages)}
            onChange={turn}
            getItemProps={(to) => ({ 'aria-label': `Page ${to}` })}
            getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          />
        </nav>
      )}
    </>
  );
}
