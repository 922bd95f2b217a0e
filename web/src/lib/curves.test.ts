import { describe, expect, it } from 'vitest';
import type { Curve } from '../api/types';
import { appendNewer, mergeDeltas, mergePoints, nearestIndex, smooth, stepRange, valueAt, valueRange } from './curves';

const curve = (steps: number[], values: (number | null)[], task = 'j-1', metric = 'loss'): Curve => ({
  task,
  metric,
  steps,
  values,
  times: [],
  total: steps.length,
});

describe('mergePoints', () => {
  it('appends', () => {
    const merged = mergePoints(curve([1, 2], [0.5, 0.4]), [[3, 0.3]]);
    expect(merged.steps).toEqual([1, 2, 3]);
    expect(merged.values).toEqual([0.5, 0.4, 0.3]);
    expect(merged.total).toBe(3);
  });
  it('lets a later report of a step count', () => {
    const merged = mergePoints(curve([1, 2, 3], [5, 4, 3]), [
      [2, 40],
      [3, null],
    ]);
    expect(merged.steps).toEqual([1, 2, 3]);
    expect(merged.values).toEqual([5, 40, null]);
  });
  it('leaves the old curve alone', () => {
    const old = curve([1], [1]);
    mergePoints(old, [[2, 2]]);
    expect(old.steps).toEqual([1]);
  });
  it('keeps counting what was decimated', () => {
    expect(mergePoints({ ...curve([1, 100], [1, 2]), total: 100 }, [[101, 3]]).total).toBe(101);
  });
});

describe('appendNewer', () => {
  it('ignores what is already there', () => {
    const old = curve([1, 2], [1, 2]);
    expect(appendNewer(old, [[2, 9]])).toBe(old);
    expect(
      appendNewer(old, [
        [2, 9],
        [3, 3],
      ]).values,
    ).toEqual([1, 2, 3]);
  });
});

describe('mergeDeltas', () => {
  const all = () => true;
  it('replaces only the curves that moved', () => {
    const still = curve([1], [1], 'j-1');
    const moved = curve([1], [1], 'j-2');
    const merged = mergeDeltas([still, moved], { 'j-2': { loss: [[2, 2]] } }, all);
    expect(merged[0]).toBe(still);
    expect(merged[1]?.values).toEqual([1, 2]);
  });
  it('adds curves that are new, and only of wanted metrics', () => {
    const deltas = { 'j-3': { loss: [[1, 7] as [number, number]], acc: [[1, 8] as [number, number]] } };
    const merged = mergeDeltas([], deltas, (_, metric) => metric === 'acc');
    expect(merged.map((c) => [c.task, c.metric, c.values])).toEqual([['j-3', 'acc', [8]]]);
  });
  it('is the same array when nothing is wanted', () => {
    const curves = [curve([1], [1])];
    expect(mergeDeltas(curves, { x: { y: [[1, 1]] } }, () => false)).toBe(curves);
  });
});

describe('smooth', () => {
  it('does nothing at 0 and keeps a constant', () => {
    const values = [1, 2, null];
    expect(smooth(values, 0)).toBe(values);
    for (const value of smooth([3, 3, 3], 0.9)) expect(value).toBeCloseTo(3);
  });
  it('keeps gaps and lags behind', () => {
    const [first, gap, last] = smooth([0, null, 1], 0.5);
    expect(first).toBe(0);
    expect(gap).toBeNull();
    expect(last).toBeCloseTo(2 / 3);
  });
});

describe('looking up', () => {
  const line = { steps: [0, 10, 20, 30], values: [0, 1, null, 3] };
  it('interpolates, and not over gaps', () => {
    expect(valueAt(line, 5)).toBe(0.5);
    expect(valueAt(line, 10)).toBe(1);
    expect(valueAt(line, 15)).toBeNull();
    expect(valueAt(line, -1)).toBeNull();
    expect(valueAt(line, 31)).toBeNull();
  });
  it('finds the nearest point with a value', () => {
    expect(nearestIndex(line, 4)).toBe(0);
    expect(nearestIndex(line, 19)).toBe(1);
    expect(nearestIndex(line, 99)).toBe(3);
    expect(nearestIndex({ steps: [], values: [] }, 1)).toBe(-1);
  });
});

describe('ranges', () => {
  it('spans all steps', () => {
    expect(stepRange([])).toEqual([0, 1]);
    expect(stepRange([curve([2, 5], [1, 1]), curve([1], [1])])).toEqual([1, 5]);
    expect(stepRange([curve([3], [1])])).toEqual([2.5, 3.5]);
  });
  it('leaves outliers out when asked to', () => {
    const values = Array.from({ length: 100 }, (_, i) => 1 + i / 100);
    const line = { steps: [...values.keys(), 100], values: [...values, 1e6] };
    expect(valueRange([line], 0, 100)[1]).toBeGreaterThan(1e6);
    expect(valueRange([line], 0, 100, { clip: true })[1]).toBeLessThan(7);
  });
  it('keeps the steep beginning of an ordinary curve', () => {
    const values = Array.from({ length: 100 }, (_, i) => 1 / (1 + i));
    expect(valueRange([{ steps: [...values.keys()], values }], 0, 100, { clip: true })[1]).toBeGreaterThan(1);
  });
  it('knows only positive values in logarithms', () => {
    const [low] = valueRange([{ steps: [1, 2, 3], values: [-1, 0, 0.5] }], 0, 9, { log: true });
    expect(low).toBeGreaterThan(0);
  });
  it('has room around a constant', () => {
    const [low, high] = valueRange([{ steps: [1], values: [2] }], 0, 9);
    expect(low).toBeLessThan(2);
    expect(high).toBeGreaterThan(2);
  });
});
