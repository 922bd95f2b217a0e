/** The lines of a log: its end at once, then what is added to it; earlier parts on request. */

import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from '../api/client';
import { followLog, readLog } from '../api/logs';
import { LogLines } from '../lib/log';

const PART = 1_000_000;
const RETRY_MS = 3000;

export interface Log {
  lines: readonly string[];
  /** Bytes before the first line shown. */
  before: number;
  state: 'loading' | 'following' | 'ended' | 'failed';
  error: unknown;
  /** Grows with every change of `lines`, which is the same array. */
  version: number;
  loadEarlier: () => Promise<void>;
}

export function useLog(task: string, attempt: number | undefined): Log {
  const log = useRef(new LogLines());
  const [before, setBefore] = useState(0);
  const [state, setState] = useState<Log['state']>('loading');
  const [error, setError] = useState<unknown>(null);
  const [version, setVersion] = useState(0);

  useEffect(() => {
    const stop = new AbortController();
    let retry: ReturnType<typeof setTimeout> | undefined;
    let frame = 0;
    const changed = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        setVersion((known) => known + 1);
      });
    };
    const run = async () => {
      const tail = await readLog(task, { attempt, offset: -PART, limit: PART }, stop.signal);
      log.current = new LogLines();
      log.current.add(tail.text);
      setBefore(tail.start);
      setError(null);
      setState('following');
      changed();
      for await (const text of followLog(task, { attempt, offset: tail.end }, stop.signal)) {
        log.current.add(text);
        changed();
      }
      setState('ended');
    };
    const attemptRun = () => {
      run().catch((failure) => {
        if (stop.signal.aborted) return;
        setError(failure);
        setState('failed');
        if (!isRefused(failure)) retry = setTimeout(attemptRun, RETRY_MS);
      });
    };
    setState('loading');
    attemptRun();
    return () => {
      stop.abort();
      clearTimeout(retry);
      cancelAnimationFrame(frame);
    };
  }, [task, attempt]);

  const loadEarlier = useCallback(async () => {
    const start = Math.max(before - PART, 0);
    const part = await readLog(task, { attempt, offset: start, limit: before - start });
    const earlier = new LogLines();
    earlier.add(part.text);
    const { lines } = log.current;
    if (!part.text.endsWith('\n') && earlier.lines.length) lines[0] = `${earlier.lines.pop()}${lines[0] ?? ''}`;
    lines.unshift(...earlier.lines);
    setBefore(start);
    setVersion((known) => known + 1);
  }, [task, attempt, before]);

  return { lines: log.current.lines, before, state, error, version, loadEarlier };
}

/** The log is not for this person: to ask again would not help. */
export function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403;
}
