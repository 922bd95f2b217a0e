/** Axes of the graphs that are drawn by hand: from a value to a place between 0 and 1, with ticks. */

import { valueRange } from '../../../lib/curves';
import { number } from '../../../lib/format';
import { valueText } from '../../../lib/params';
import { linearTicks, logTicks } from '../../../lib/ticks';

export type Scale = 'linear' | 'log' | 'categories';

export interface Tick {
  at: number;
  text: string;
}

export interface Axis {
  name: string;
  scale: Scale;
  /** 0 to 1; null for what is not on the axis. */
  place: (value: unknown) => number | null;
  /** The number at a place, of an axis of numbers. */
  value: (place: number) => number;
  /** All of them, where the axis has categories. */
  categories?: Tick[];
  ticks: Tick[];
}

const FEW = 8;
const MOST_NAMED = 24;
const WIDE = 50;

export function isNumeric(values: readonly unknown[]): boolean {
  const known = values.filter((value) => value !== null && value !== undefined);
  return known.length > 0 && known.every((value) => typeof value === 'number' && Number.isFinite(value));
}

function span(numbers: readonly number[]): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const one of numbers) {
    if (one < low) low = one;
    if (one > high) high = one;
  }
  return [low, high];
}

/** The scales that make sense for these values, the best one first. */
export function scalesFor(values: readonly unknown[]): Scale[] {
  if (!isNumeric(values)) return ['categories'];
  const numbers = values.filter((value) => typeof value === 'number');
  const [low, high] = span(numbers);
  const scales: Scale[] = low <= 0 ? ['linear'] : high / low >= WIDE ? ['log', 'linear'] : ['linear', 'log'];
  return new Set(numbers).size <= FEW ? ['categories', ...scales] : scales;
}

export function paramAxis(name: string, values: readonly unknown[], wanted?: string): Axis {
  const possible = scalesFor(values);
  const scale = possible.find((one) => one === wanted) ?? possible[0];
  if (scale === 'categories') return categories(name, values);
  return numeric(name, values as number[], scale === 'log');
}

/** One place for each value, numbers in their order. */
function categories(name: string, values: readonly unknown[]): Axis {
  const texts = new Map<string, unknown>();
  for (const value of values) if (value !== undefined) texts.set(valueText(value), value);
  const order = [...texts.keys()].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  if (isNumeric([...texts.values()])) order.sort((a, b) => Number(a) - Number(b));
  const places = new Map(order.map((text, i) => [text, (i + 0.5) / order.length]));
  const every = Math.ceil(order.length / MOST_NAMED);
  return {
    name,
    scale: 'categories',
    place: (value) => (value === undefined ? null : (places.get(valueText(value)) ?? null)),
    value: () => Number.NaN,
    categories: order.map((text) => ({ at: places.get(text) as number, text })),
    ticks: order.filter((_, i) => i % every === 0).map((text) => ({ at: places.get(text) as number, text })),
  };
}

function numeric(name: string, values: readonly number[], log: boolean): Axis {
  const known = values.filter((value) => typeof value === 'number' && Number.isFinite(value));
  const level = log ? Math.log10 : (value: number) => value;
  let [low, high] = span(known.map(level));
  if (low === high) [low, high] = [low - 0.5, high + 0.5];
  return spanned(name, log, low, high, known.every(Number.isInteger));
}

/** The objective: what lies far away from all others is put at the end of the axis when it is clipped. */
export function valueAxis(name: string, values: readonly number[], { log = false, clip = false } = {}): Axis {
  const line = { steps: values.map((_, i) => i), values };
  const onLog = log && values.some((value) => value > 0);
  const [low, high] = valueRange([line], 0, values.length, { log: onLog, clip });
  return onLog ? spanned(name, true, Math.log10(low), Math.log10(high)) : spanned(name, false, low, high);
}

function spanned(name: string, log: boolean, low: number, high: number, whole = false): Axis {
  const place = (value: unknown) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return null;
    if (log && value <= 0) return 0;
    return Math.min(Math.max(((log ? Math.log10(value) : value) - low) / (high - low), 0), 1);
  };
  const ticks = (log ? logTicks(low, high) : linearTicks(low, high, 5, whole)).map((value) => ({
    at: place(value) as number,
    text: number(Number(value.toPrecision(10))),
  }));
  const value = (at: number) => (log ? 10 ** (low + at * (high - low)) : low + at * (high - low));
  return { name, scale: log ? 'log' : 'linear', place, value, ticks };
}
