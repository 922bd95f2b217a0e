import { expect, it } from 'vitest';
import { valueRange } from './curves';
import { linearTicks, logTicks, timeTicks } from './ticks';

/** Always the same numbers between 0 and 1. */
function numbers(): () => number {
  let state = 7;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Few, in order, and between the limits. One `expect` for all of them: each takes its time. */
function right(ticks: readonly number[], low: number, high: number, air = 0): boolean {
  const beside = (high - low) * 1e-6 + Math.abs(high) * 1e-8 + air;
  const inside = (tick: number, i: number) =>
    tick >= low - beside && tick <= high + beside && (i === 0 || tick > (ticks[i - 1] as number));
  return ticks.length <= 60 && ticks.every(inside);
}

it('ends for the limits of a curve whose smallest value is 0.0111', () => {
  const line = { steps: [0, 1, 2], values: [2.3, 0.4, 0.0111] };
  const [low, high] = valueRange([line], 0, 2, { log: true });
  expect(low).toBeCloseTo(0.00965, 5); // in [9.5, 10) x 10^-3
  expect(logTicks(Math.log10(low), Math.log10(high))).toEqual([0.01, 0.03, 0.1, 0.3, 1]);
});

it('ends on a logarithmic axis for all limits', () => {
  const random = numbers();
  const wrong: unknown[] = [];
  for (let power = -320; power <= 308; power++) {
    for (const size of [9.5, 9.65, 9.999_999, 1, 1 + 9 * random(), 1 + 9 * random()]) {
      const low = Number(`${size}e${power}`);
      for (const factor of [1 + 1e-15, 1.0001, 1.3, 9, 1e3, 1e12, 1e200]) {
        const high = low * factor;
        const ticks = logTicks(Math.log10(low), Math.log10(high));
        const ordinary = low > 1e-300 && factor >= 1.3 && high < 1e300;
        if (!right(ticks, low, high) || (ordinary && ticks.length < 2)) wrong.push([low, high, ticks]);
      }
    }
  }
  expect(wrong).toEqual([]);
  for (const [low, high] of [
    [Number.NEGATIVE_INFINITY, 1],
    [Number.NaN, 1],
    [0, Number.POSITIVE_INFINITY],
    [1, 1],
  ] as const) {
    expect(logTicks(low, high)).toEqual([]);
  }
});

it('ends on a linear axis for all limits', () => {
  const random = numbers();
  const wrong: unknown[] = [];
  for (let power = -300; power <= 300; power += 3) {
    for (const apart of [1e-17, 1e-15, 1e-9, 0.1, 1, 50]) {
      const low = (random() - 0.5) * 10 ** power;
      const high = low + Math.abs(low) * apart;
      const [ticks, whole, times] = [linearTicks(low, high), linearTicks(low, high, 8, true), timeTicks(low, high)];
      const all = right(ticks, low, high) && right(whole, low, high, 1e-8) && right(times, low, high, 1e-8);
      if (!all || (apart >= 0.1 && ticks.length < 2)) wrong.push([low, high, ticks, whole, times]);
    }
  }
  expect(wrong).toEqual([]);
});

it('has whole numbers only, for what is counted', () => {
  expect(linearTicks(0, 3, 8, true)).toEqual([0, 1, 2, 3]);
  expect(linearTicks(0.5, 2.5, 8, true)).toEqual([1, 2]);
  expect(linearTicks(0, 200, 8, true)).toEqual([0, 50, 100, 150, 200]);
  expect(linearTicks(0, 11, 5, true).every(Number.isInteger)).toBe(true);
});

it('has round times', () => {
  expect(timeTicks(0, 200, 5)).toEqual([0, 60, 120, 180]);
  expect(timeTicks(0, 0.4, 4)).toEqual([0, 0.1, 0.2, 0.30000000000000004, 0.4]);
  // Midnight of the person, an hour before that of UTC.
  expect(timeTicks(0, 3 * 86_400, 3, 3600)).toEqual([82_800, 169_200, 255_600]);
  expect(timeTicks(0, 400 * 86_400, 4).length).toBeLessThanOrEqual(5);
});
