/** The hours of a week as cells of half an hour, from Monday on, and as the windows of a rule. */

import type { AccessWindow } from '../../api/types';

export const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
export const PER_DAY = 48;
export const CELLS = 7 * PER_DAY;
export const NOTHING: readonly boolean[] = Array(CELLS).fill(false);

/** `08:30` of the cell that begins then. */
export function clock(cell: number): string {
  const minutes = (cell % PER_DAY) * 30;
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

/** Minutes of a day; 23:59 as the end of a window is midnight, as the server has it. */
function minutes(text: string): number {
  const [hours = 0, rest = 0] = text.split(':').map(Number);
  return hours * 60 + rest;
}

function ends(window: AccessWindow): string {
  return window.until === '23:59' ? '00:00' : (window.until ?? '00:00');
}

/** Whether cells can show these windows exactly. */
export function fits(windows: readonly AccessWindow[]): boolean {
  return windows.every((one) => minutes(one.since ?? '00:00') % 30 === 0 && minutes(ends(one)) % 30 === 0);
}

export function cellsOf(windows: readonly AccessWindow[]): boolean[] {
  const cells = [...NOTHING];
  for (const window of windows) {
    const since = Math.floor(minutes(window.since ?? '00:00') / 30);
    const until = Math.ceil(minutes(ends(window)) / 30);
    const length = until > since ? until - since : until + PER_DAY - since;
    for (const day of window.days) {
      for (let n = 0; n < length; n++) cells[(day * PER_DAY + since + n) % CELLS] = true;
    }
  }
  return cells;
}

/** The windows of these cells: nights stay whole, what is longer than a day is cut at midnights. */
export function windowsOf(cells: readonly boolean[]): AccessWindow[] {
  if (cells.every(Boolean)) return [{ days: [0, 1, 2, 3, 4, 5, 6], since: '00:00', until: '00:00' }];
  const found = new Map<string, AccessWindow>();
  const add = (start: number, length: number) => {
    const day = Math.floor(start / PER_DAY) % 7;
    const [since, until] = [clock(start), clock(start + length)];
    const same = found.get(`${since} ${until}`);
    if (same) same.days = [...same.days, day].sort((a, b) => a - b);
    else found.set(`${since} ${until}`, { days: [day], since, until });
  };
  for (let start = 0; start < CELLS; start++) {
    if (!cells[start] || cells[(start + CELLS - 1) % CELLS]) continue;
    let length = 1;
    while (cells[(start + length) % CELLS]) length++;
    for (const [first, count] of pieces(start, length)) add(first, count);
  }
  return [...found.values()];
}

/** A stretch of cells, cut at midnights if it is longer than a day. */
function pieces(start: number, length: number): [number, number][] {
  if (length <= PER_DAY) return [[start, length]];
  const found: [number, number][] = [];
  let at = start;
  while (at < start + length) {
    const midnight = (Math.floor(at / PER_DAY) + 1) * PER_DAY;
    const end = Math.min(midnight, start + length);
    found.push([at, end - at]);
    at = end;
  }
  return found;
}

/** The cells with all between two of them, as corners of a rectangle, set. */
export function painted(cells: readonly boolean[], from: number, to: number, value: boolean): boolean[] {
  const [days, halves] = [
    [Math.floor(from / PER_DAY), Math.floor(to / PER_DAY)],
    [from % PER_DAY, to % PER_DAY],
  ];
  const made = [...cells];
  for (let day = Math.min(...days); day <= Math.max(...days); day++) {
    for (let half = Math.min(...halves); half <= Math.max(...halves); half++) made[day * PER_DAY + half] = value;
  }
  return made;
}
