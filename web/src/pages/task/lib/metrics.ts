/** Which metrics belong into one graph. */

import { BYTE_UNITS } from '../../../lib/format';

const SYSTEM = 'sys/';
export const MEMORY = 'sys/memory';
export const CPU = 'sys/cpu';
export const GPU_MEMORY = 'sys/gpu_memory';
export const GPU_LOAD = 'sys/gpu_load';

/** What a metric was measured on. */
export type Side = 'train' | 'validation' | 'test';

const SIDES: Record<string, Side> = {
  train: 'train',
  training: 'train',
  trn: 'train',
  val: 'validation',
  valid: 'validation',
  validation: 'validation',
  dev: 'validation',
  eval: 'validation',
  test: 'test',
};
const WORDS = Object.keys(SIDES).join('|');
const BEFORE = new RegExp(`^(${WORDS})[_/.\\- ](.+)$`, 'i');
const AFTER = new RegExp(`^(.+)[_/.\\- ](${WORDS})$`, 'i');
const ORDER: readonly Side[] = ['train', 'validation', 'test'];

/** `val_loss` -> loss, validation; `loss` -> loss, train. */
export function sideOf(metric: string): { base: string; side: Side } {
  const before = BEFORE.exec(metric);
  if (before) return { base: before[2] as string, side: SIDES[(before[1] as string).toLowerCase()] as Side };
  const after = AFTER.exec(metric);
  if (after) return { base: after[1] as string, side: SIDES[(after[2] as string).toLowerCase()] as Side };
  return { base: metric, side: 'train' };
}

export interface Member {
  metric: string;
  /** Where its colour is in the palette: training and validation look the same in all graphs. */
  color: number;
}

export interface MetricGroup {
  name: string;
  members: Member[];
}

/** Training and validation of one metric together; the objective's group first, then by name. */
export function groupMetrics(metrics: readonly string[], objective?: string): MetricGroup[] {
  const groups = new Map<string, { metric: string; side: Side }[]>();
  for (const metric of [...new Set(metrics)].filter((name) => !name.startsWith(SYSTEM)).sort()) {
    const { base, side } = sideOf(metric);
    groups.set(base, [...(groups.get(base) ?? []), { metric, side }]);
  }
  const first = objective === undefined ? null : sideOf(objective).base;
  return [...groups]
    .map(([name, members]) => ({ name, members: coloured(members) }))
    .sort(
      (a, b) =>
        Number(b.name === first) - Number(a.name === first) || a.name.localeCompare(b.name, 'en', { numeric: true }),
    );
}

/** One colour a side; a second metric of the same side (`loss` and `train_loss`) takes one that is free. */
function coloured(members: readonly { metric: string; side: Side }[]): Member[] {
  const ordered = [...members].sort((a, b) => ORDER.indexOf(a.side) - ORDER.indexOf(b.side));
  const taken = new Set<number>();
  return ordered.map(({ metric, side }) => {
    const wanted = ORDER.indexOf(side);
    const color = taken.has(wanted) ? Math.max(ORDER.length - 1, ...taken) + 1 : wanted;
    taken.add(color);
    return { metric, color };
  });
}

/** Seconds in the unit that suits the last, so that a day of training does not end at 86,400. */
export function inTimeUnit(seconds: readonly number[]): { unit: string; steps: number[] } {
  const last = seconds.at(-1) ?? 0;
  const [unit, size] = last >= 3 * 3600 ? (['hour', 3600] as const) : last >= 600 ? (['minute', 60] as const) : SECOND;
  return { unit, steps: seconds.map((second) => Number((second / size).toPrecision(7))) };
}

const SECOND = ['second', 1] as const;

/** Bytes in the unit that suits the largest, so that the axis has round numbers. */
export function inBytesUnit(values: readonly (number | null)[]): { unit: string; values: (number | null)[] } {
  const most = values.reduce<number>((max, value) => Math.max(max, value ?? 0), 0);
  const power = most >= 1 ? Math.min(Math.floor(Math.log2(most) / 10), BYTE_UNITS.length - 1) : 0;
  const size = 1024 ** power;
  return {
    unit: BYTE_UNITS[power] as string,
    values: values.map((value) => (value === null ? null : Number((value / size).toPrecision(6)))),
  };
}

/** Parts of one in percent. */
export function inPercent(values: readonly (number | null)[]): { unit: string; values: (number | null)[] } {
  return { unit: '%', values: values.map((value) => value && Number((value * 100).toPrecision(6))) };
}

/** What the runner measures of the node, and how it is drawn. */
export interface Usage {
  metric: string;
  name: string;
  color: number;
  inUnit: (values: readonly (number | null)[]) => { unit: string; values: readonly (number | null)[] };
  /** What the axis spans, where that is always the same. */
  range?: readonly [number, number];
}

const USAGES: readonly Usage[] = [
  { metric: MEMORY, name: 'Memory', color: 3, inUnit: inBytesUnit },
  { metric: CPU, name: 'CPU', color: 6, inUnit: (values) => ({ unit: 'cores in use', values }) },
  { metric: GPU_MEMORY, name: 'GPU memory', color: 8, inUnit: inBytesUnit },
  { metric: GPU_LOAD, name: 'GPU load', color: 2, inUnit: inPercent, range: [0, 104] },
];

/** Memory and CPU always, the GPU where it was measured. */
export function usageOf(metrics: readonly string[]): Usage[] {
  return USAGES.filter(({ metric }) => metric === MEMORY || metric === CPU || metrics.includes(metric));
}
