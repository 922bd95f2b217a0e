/** The stretch of time that the calendar shows, and how moments lie on it. */

import { addDays, DAY, fromField, HOUR, hourOf, MINUTE, startOfDay } from '../../../lib/zone';

export const LENGTHS = [1, 3, 7, 14, 30] as const;

export interface Span {
  from: number;
  until: number;
  zone: string;
  /** Midnights, and the end. */
  days: number[];
  /** Times are chosen on this grid. */
  step: number;
}

/** From a day (`2026-11-18`; today if there is none) on. */
export function spanOf(day: string, length: number, zone: string, now: number): Span {
  const from = fromField(day, zone) ?? startOfDay(now, zone);
  const days = Array.from({ length: length + 1 }, (_, index) => addDays(from, index, zone));
  return { from, until: days.at(-1) as number, zone, days, step: stepOf(length) };
}

function stepOf(length: number): number {
  if (length <= 1) return 15 * MINUTE;
  if (length <= 3) return 30 * MINUTE;
  return length <= 7 ? HOUR : length <= 14 ? 2 * HOUR : 6 * HOUR;
}

/** In percent of the width. */
export function percentOf({ from, until }: Span, at: number): number {
  return ((at - from) / (until - from)) * 100;
}

export function timeAt({ from, until }: Span, part: number): number {
  return from + part * (until - from);
}

/** On the grid of its day; `how` is Math.round, floor or ceil. */
export function snapped({ days, step }: Span, at: number, how: (steps: number) => number = Math.round): number {
  const day = days.findLast((start) => start <= at) ?? (days[0] as number);
  return day + how((at - day) / step) * step;
}

export interface Tick {
  at: number;
  label: string;
}

/** Hours that are named on the axis: fewer, the more days there are. */
export function ticksOf({ days, zone }: Span): Tick[] {
  const length = days.length - 1;
  const every = length <= 1 ? 1 : length <= 3 ? 3 : length <= 7 ? 6 : length <= 14 ? 12 : 24;
  return days.slice(0, -1).flatMap((day, index) => {
    const end = days[index + 1] ?? day + DAY;
    const ticks: Tick[] = [];
    for (let at = day + HOUR; at < end; at += HOUR) {
      const hour = hourOf(at, zone);
      if (hour > 0 && hour % every === 0) ticks.push({ at, label: String(hour).padStart(2, '0') });
    }
    return ticks;
  });
}
