/** How a job is looked at: all of it in the address, so that a link shows the same. */

import { useCallback, useEffect, useRef, useState } from 'react';
import { useUrlState } from '../../lib/urlState';

export const VIEW = {
  view: 'curves',
  /** One graph each; the objective when there is none. */
  metric: [] as string[],
  /** Those but the first that have a logarithmic axis; `log` is for the first, and for graphs of best values. */
  logs: [] as string[],
  /** What is across: what tasks count when '', `epoch`, `relative` or `wall`. */
  x: '',
  /** `trial`, `param.NAME`, `none`; repetitions of a configuration when ''. */
  group: '',
  /** Curves that are in the legend only. */
  hide: [] as string[],
  /** Training and validation together. */
  both: false,
  log: false,
  smooth: 0,
  clip: true,
  /** Of the scatter. */
  param: '',
  scale: '',
  /** Of the map of two parameters: across, up. */
  cx: '',
  cy: '',
  /** Of the Pareto front: which objectives, from 0 on. */
  px: 0,
  py: 1,
  sort: '',
  filter: '',
  /** Words of the filter that were brushed in parallel coordinates. */
  brush: [] as string[],
  /** Columns that the table has besides, and after a minus those that it does not have. */
  cols: [] as string[],
  state: [] as string[],
  /** Numbers of tasks: `1-3,7`. */
  selected: '',
  compare: false,
};

export type View = typeof VIEW;
export type SetView = (changes: Partial<View>) => void;

export function useView() {
  return useUrlState(VIEW);
}

const QUIET_MS = 250;

/** A value that moves at once and is written down when it rests: browsers refuse many changes of address a second. */
export function useResting<T>(value: T, write: (value: T) => void): [T, (value: T) => void] {
  const [moving, setMoving] = useState<{ value: T } | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(write);
  latest.current = write;
  useEffect(() => () => clearTimeout(timer.current), []);
  const set = useCallback((next: T) => {
    setMoving({ value: next });
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      latest.current(next);
      setMoving(null);
    }, QUIET_MS);
  }, []);
  return [moving ? moving.value : value, set];
}

/** The previous value while the new one is equal, so that nothing that depends on it is computed again. */
export function useStable<T>(value: T, same: (a: T, b: T) => boolean): T {
  const [kept, keep] = useState(value);
  if (kept === value || same(kept, value)) return kept;
  keep(value);
  return value;
}

export function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one, i) => one === b[i]);
}
