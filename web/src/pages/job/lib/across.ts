/** What is across in graphs of curves: what tasks count, epochs, or time. */

import type { Curve } from '../../../api/types';
import { type Line, valueAt } from '../../../lib/curves';

/** Where a script counts steps and epochs, its points are at steps, and this metric has the epochs. */
export const EPOCH_METRIC = 'sys/epoch';

export type X = '' | 'epoch' | 'relative' | 'wall';

export function isX(text: string): text is X {
  return ['', 'epoch', 'relative', 'wall'].includes(text);
}

export interface Across {
  x: X;
  /** task -> seconds since 1970 */
  starts: ReadonlyMap<string, number>;
  /** task -> epochs by step */
  epochs: ReadonlyMap<string, Line>;
}

/** Where the points of a curve are, never going back; as many of them as have a place. */
export function placesOf(curve: Curve, { x, starts, epochs }: Across): readonly number[] {
  if (x === '') return curve.steps;
  if (x === 'epoch') {
    const line = epochs.get(curve.task);
    return line ? curve.steps.map((step) => epochAt(line, step)) : curve.steps;
  }
  const { times = [] } = curve;
  const first = times[0] ?? 0;
  const start = x === 'wall' ? 0 : Math.min(starts.get(curve.task) ?? first, first);
  let last = Number.NEGATIVE_INFINITY;
  return times.map((time) => {
    last = Math.max(last, time - start);
    return last;
  });
}

function epochAt(line: Line, step: number): number {
  const [first = 0, last = 0] = [line.steps[0], line.steps.at(-1)];
  // Before the first of them, steps and epochs were the same.
  if (step < first) return Math.min(step, line.values[0] ?? step);
  return valueAt(line, Math.min(step, last)) ?? step;
}
