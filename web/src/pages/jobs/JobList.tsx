import { Pagination } from '@mantine/core';
import { type KeyboardEvent, useRef, useState } from 'react';
import type { JobPage } from '../../api/types';
import { focusRow } from './focusRow';
import type { Asked } from './JobDialogs';
import styles from './JobList.module.css';
import { JobRow } from './JobRow';
import { holdOrder, nextRow, pageCount, rangeText } from './jobsLib';

interface Props {
  found: JobPage;
  page: number;
  onPage: (page: number) => void;
  onTag: (tag: string) => void;
  onAsk: (asked: Asked) => void;
}

/** One page of jobs. Arrows go from row to row; rows do not move while the pointer is on them. */
export function JobList({ found, page, onPage, onTag, onAsk }: Props) {
  const top = useRef<HTMLDivElement>(null);
  const [held, setHeld] = useState<string[] | null>(null);
  const [active, setActive] = useState<string | null>(null);
  const { shown, waiting } = holdOrder(found.items, held);
  const focusable = shown.some(({ id }) => id === active) ? active : shown[0]?.id;
  const pages = pageCount(found.total);

  const onKey = (event: KeyboardEvent<HTMLUListElement>) => {
    if (!(event.target as HTMLElement).hasAttribute('data-row-link')) return;
    const index = shown.findIndex(({ id }) => id === active);
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
        {rangeText(found.total, found.offset, found.items.length)}
        {waiting > 0 && <span className={styles.waiting}> · {waiting} new</span>}
      </div>
      <div className="app-panel">
        <div className={styles.head} aria-hidden="true">
          <span>Job</span>
          <span>Tasks</span>
          <span>Best value</span>
          <span>Curve</span>
          <span>Time</span>
          <span>Submitted</span>
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
