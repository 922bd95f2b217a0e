import { ActionIcon, Button, Switch, TextInput, Tooltip } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react';
import { bytes, plural } from '../lib/format';
import { findError, findText, splitMatches } from '../lib/log';
import { EmptyState } from './EmptyState';
import { ErrorPanel } from './ErrorPanel';
import { IconAlert, IconArrowDown, IconChevronDown, IconChevronUp, IconSearch, IconTerminal } from './icons';
import styles from './LogView.module.css';
import { isRefused, useLog } from './useLog';

const LINE = 18;

interface Props {
  task: string;
  /** The current attempt when not given. */
  attempt?: number;
  height?: number | string;
  /** As high from the start as it may become: for a log that grows, so that nothing below it moves. */
  steady?: boolean;
  /** More controls at the end of the bar. */
  tools?: ReactNode;
  ref?: Ref<LogHandle>;
}

export interface LogHandle {
  /** Brings the log into sight, at its last error or else its end. */
  toError: () => void;
}

/** The log of a task as it grows. Whatever is in it is text. Give `key={attempt}` to begin anew after a restart. */
export function LogView({ task, attempt, height = 420, steady = false, tools, ref }: Props) {
  const log = useLog(task, attempt);
  const { lines, version } = log;
  const [wrap, setWrap] = useState(false);
  const [search, setSearch] = useState('');
  const [hit, setHit] = useState(0);
  const [marked, setMarked] = useState(-1);
  const [stuck, setStuck] = useState(true);
  const scroll = useRef<HTMLDivElement>(null);
  const section = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the array of lines stays the same when it grows
  const found = useMemo(() => findText(lines, search), [lines, version, search]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  const failed = useMemo(() => findError(lines), [lines, version]);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => LINE,
    overscan: 20,
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: `version` says that there are more lines
  useEffect(() => {
    if (stuck && lines.length) rows.scrollToIndex(lines.length - 1, { align: 'end' });
  }, [version, stuck, wrap]);

  const go = useCallback(
    (line: number) => {
      setStuck(false);
      setMarked(line);
      rows.scrollToIndex(line, { align: 'center' });
    },
    [rows],
  );
  useImperativeHandle(
    ref,
    () => ({
      toError: () => {
        if (failed >= 0) go(failed);
        else setStuck(true);
        section.current?.scrollIntoView({ block: 'nearest' });
        scroll.current?.focus({ preventScroll: true });
      },
    }),
    [failed, go],
  );
  const step = (by: number) => {
    if (found.length === 0) return;
    const next = (hit + by + found.length) % found.length;
    setHit(next);
    go(found[next] as number);
  };
  const onSearch = (text: string) => {
    setSearch(text);
    setHit(0);
    const first = findText(lines, text)[0];
    if (first === undefined) setMarked(-1);
    else go(first);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
    if (event.key === 'Escape') onSearch('');
  };
  const onScroll = () => {
    const element = scroll.current;
    if (element) setStuck(element.scrollHeight - element.scrollTop - element.clientHeight < 2 * LINE);
  };

  return (
    <section ref={section} className="app-panel" aria-label="Log">
      <div className={styles.bar}>
        <TextInput
          size="xs"
          type="search"
          aria-label="Search the log"
          placeholder="Search the log"
          leftSection={<IconSearch size={14} />}
          value={search}
          onChange={(event) => onSearch(event.currentTarget.value)}
          onKeyDown={onKey}
        />
        {search !== '' && (
          <>
            <span className={styles.hits} aria-live="polite">
              {found.length ? `${hit + 1} of ${found.length}` : 'not found'}
            </span>
            <ActionIcon size="sm" aria-label="Previous match" onClick={() => step(-1)} disabled={!found.length}>
              <IconChevronUp />
            </ActionIcon>
            <ActionIcon size="sm" aria-label="Next match" onClick={() => step(1)} disabled={!found.length}>
              <IconChevronDown />
            </ActionIcon>
          </>
        )}
        <Switch size="xs" label="Wrap" checked={wrap} onChange={(event) => setWrap(event.currentTarget.checked)} />
        {failed >= 0 && (
          <Button size="compact-xs" variant="default" leftSection={<IconAlert size={14} />} onClick={() => go(failed)}>
            Jump to error
          </Button>
        )}
        <span style={{ flex: 1 }} />
        <span className={styles.hits}>
          {plural(lines.length, 'line')}
          {log.state === 'following' && ' · live'}
        </span>
        <Tooltip label="To the end, and follow">
          <ActionIcon size="sm" aria-label="Follow the end" onClick={() => setStuck(true)} disabled={stuck}>
            <IconArrowDown />
          </ActionIcon>
        </Tooltip>
        {tools}
      </div>
      {log.state === 'failed' && (
        <ErrorPanel
          error={log.error}
          title={isRefused(log.error) ? 'The log is not shown to you' : 'The log cannot be read; trying again'}
        />
      )}
      {log.before > 0 && (
        <Button fullWidth size="compact-xs" variant="subtle" onClick={() => log.loadEarlier()}>
          Load earlier lines ({bytes(log.before)} more)
        </Button>
      )}
      {lines.length === 0 && log.state !== 'failed' ? (
        <div style={{ minHeight: steady ? height : undefined }}>
          <EmptyState icon={IconTerminal} title={log.state === 'ended' ? 'The log is empty' : 'Nothing printed yet'} />
        </div>
      ) : (
        <div
          ref={scroll}
          className={styles.scroll}
          style={steady ? { height } : { maxHeight: height }}
          onScroll={onScroll}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          role="log"
        >
          <div className={styles.lines} style={{ height: rows.getTotalSize() }}>
            {rows.getVirtualItems().map(({ index, start }) => (
              <div
                key={index}
                ref={wrap ? rows.measureElement : undefined}
                data-index={index}
                className={`${styles.line} ${wrap ? styles.wrapped : ''} ${index === marked ? styles.current : ''}`}
                style={{ transform: `translateY(${start}px)` }}
              >
                <span className={styles.number}>{index + 1}</span>
                <LogText line={lines[index] ?? ''} search={search} />
              </div>
            ))}
          </div>
        </div>
      )}
    </section>
  );
}

const LogText = memo(function LogText({ line, search }: { line: string; search: string }) {
  if (search === '')
    return (
      <span className={styles.text} data-text>
        {line}
      </span>
    );
  return (
    <span className={styles.text} data-text>
      {splitMatches(line, search).map(([text, matches], i) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line have no other name
        matches ? <mark key={i}>{text}</mark> : <span key={i}>{text}</span>,
      )}
    </span>
  );
});
