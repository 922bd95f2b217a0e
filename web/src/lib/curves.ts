/** Curves: deltas into them, what is drawn of them. */

import type { Curve, NewPoints } from '../api/types';

/** [step, value]; a value that is no number is null. */
export type Point = NewPoints[string][string][number];

/** The server's rule: where a step is reported again, or an earlier one, what comes later counts. */
export function mergePoints(curve: Curve, points: readonly Point[]): Curve {
  const first = points[0];
  if (!first) return curve;
  const steps = curve.steps.slice();
  const values = curve.values.slice();
  // Events have no times: they come at once.
  const times = (curve.times ?? []).length === steps.length ? (curve.times ?? []).slice() : null;
  const now = Date.now() / 1000;
  let dropped = 0;
  for (const [step, value] of points) {
    while (steps.length > 0 && (steps.at(-1) as number) >= step) {
      steps.pop();
      values.pop();
      times?.pop();
      dropped += 1;
    }
    steps.push(step);
    values.push(value);
    times?.push(now);
  }
  return {
    ...curve,
    steps,
    values,
    times: times ?? [],
    total: Math.max(curve.total + points.length - dropped, steps.length),
  };
}

/** Only what goes beyond the curve: for deltas that may be in it already. */
export function appendNewer(curve: Curve, points: readonly Point[]): Curve {
  const last = curve.steps.at(-1) ?? Number.NEGATIVE_INFINITY;
  const newer = points.filter(([step]) => step > last);
  return newer.length ? mergePoints(curve, newer) : curve;
}

type Merge = (curve: Curve, points: readonly Point[]) => Curve;

/** The curves with all deltas of the wanted metrics; curves that nothing moved stay the same objects. */
export function mergeDeltas(
  curves: readonly Curve[],
  deltas: NewPoints,
  wanted: (task: string, metric: string) => boolean,
  merge: Merge = mergePoints,
): Curve[] {
  const left = new Map<string, [string, string, Point[]]>();
  for (const [task, metrics] of Object.entries(deltas)) {
    for (const [metric, points] of Object.entries(metrics)) {
      if (points.length && wanted(task, metric)) left.set(`${task} ${metric}`, [task, metric, points]);
    }
  }
  if (left.size === 0) return curves as Curve[];
  const merged = curves.map((curve) => {
    const key = `${curve.task} ${curve.metric}`;
    const found = left.get(key);
    left.delete(key);
    return found ? merge(curve, found[2]) : curve;
  });
  for (const [task, metric, points] of left.values()) {
    merged.push(mergePoints({ task, metric, steps: [], values: [], times: [], total: 0 }, points));
  }
  return merged;
}

/** Exponential moving average, corrected for its start: 0 changes nothing, towards 1 is smoother. */
export function smooth(values: readonly (number | null)[], weight: number): (number | null)[] {
  if (weight <= 0) return values as (number | null)[];
  let mean = 0;
  let factor = 1;
  return values.map((value) => {
    if (value === null || !Number.isFinite(value)) return value;
    mean = mean * weight + (1 - weight) * value;
    factor *= weight;
    return mean / (1 - factor);
  });
}

export interface Line {
  steps: readonly number[];
  values: readonly (number | null)[];
}

/** The index of the last step at or before `x`, -1 when all are after it. */
export function indexBefore(steps: readonly number[], x: number): number {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle] as number) <= x) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The value of a line at `x`, between its points too; null outside of it. */
export function valueAt(line: Line, x: number): number | null {
  const before = indexBefore(line.steps, x);
  const left = line.values[before];
  if (left === undefined || left === null) return null;
  const start = line.steps[before] as number;
  if (start === x) return left;
  const right = line.values[before + 1];
  if (right === undefined || right === null) return null;
  return left + ((right - left) * (x - start)) / ((line.steps[before + 1] as number) - start);
}

/** The index of the point nearest to `x` that has a value; -1 when there is none. */
export function nearestIndex(line: Line, x: number): number {
  let left = indexBefore(line.steps, x);
  let right = left + 1;
  while (left >= 0 && line.values[left] === null) left -= 1;
  while (right < line.steps.length && line.values[right] === null) right += 1;
  if (right >= line.steps.length) return left;
  if (left < 0) return right;
  return x - (line.steps[left] as number) <= (line.steps[right] as number) - x ? left : right;
}

export function stepRange(lines: readonly Line[]): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { steps } of lines) {
    if (steps.length === 0) continue;
    low = Math.min(low, steps[0] as number);
    high = Math.max(high, steps.at(-1) as number);
  }
  if (low > high) return [0, 1];
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}

interface ValueOptions {
  log?: boolean;
  /** Leave out what lies far above or below nearly all other values. */
  clip?: boolean;
}

/** What a value axis must span for the points between two steps, with some air. */
export function valueRange(
  lines: readonly Line[],
  from: number,
  to: number,
  options: ValueOptions = {},
): [number, number] {
  const seen: number[] = [];
  for (const { steps, values } of lines) {
    for (let i = Math.max(indexBefore(steps, from), 0); i < steps.length && (steps[i] as number) <= to; i++) {
      const value = values[i];
      if (value !== null && value !== undefined && (!options.log || value > 0)) seen.push(value);
    }
  }
  if (seen.length === 0) return options.log ? [0.1, 1] : [0, 1];
  const [low, high] = options.clip ? withoutOutliers(seen) : extremes(seen);
  const [bottom, top] = options.log ? [low / 1.15, high * 1.15] : withAir(low, high);
  return [Math.max(bottom, -Number.MAX_VALUE), Math.min(top, Number.MAX_VALUE)];
}

function extremes(values: readonly number[]): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

/** Cut off at eight times the width of the middle half, and only where most of the axis is won by it: the steep
 * beginning of an ordinary curve stays in sight. */
function withoutOutliers(values: number[]): [number, number] {
  const sorted = Float64Array.from(values).sort();
  const at = (part: number) => sorted[Math.round((sorted.length - 1) * part)] as number;
  const width = at(0.75) - at(0.25);
  const [low, high] = [at(0), at(1)];
  if (width === 0) return [at(0.02), at(0.98)];
  const cut: [number, number] = [Math.max(low, at(0.25) - 8 * width), Math.min(high, at(0.75) + 8 * width)];
  return cut[1] - cut[0] < 0.1 * (high - low) ? cut : [low, high];
}

function withAir(low: number, high: number): [number, number] {
  const span = high - low || Math.abs(high) || 1;
  return [low - span * 0.05, high + span * 0.05];
}
