/** Tasks in groups, and what a graph shows of each: the mean of their curves, and how far they lie apart. */

import type { Outline } from '../../../api/types';
import { type Line, valueAt } from '../../../lib/curves';
import { paramLabel, shortValue, valueText } from '../../../lib/params';
import { word } from './brush';

/** More values than this are no groups. */
export const MOST_GROUPS = 24;
const MOST_STEPS = 300;

export interface Group {
  key: string;
  label: string;
  tasks: string[];
  /** What a filter says to show only its tasks. */
  word: string;
}

export interface Groups {
  by: string;
  all: Group[];
  /** task -> key of its group */
  of: ReadonlyMap<string, string>;
}

interface Shape {
  all: readonly string[];
  varying: readonly string[];
  repeated: boolean;
}

/** `trial`, `param.NAME`: by what tasks may be grouped. */
export function groupings(tasks: readonly Outline[], { varying, repeated }: Shape): string[] {
  const few = varying.filter((name) => {
    const seen = new Set<string>();
    return (
      tasks.every(({ params }) => seen.add(valueText(params[name])).size <= MOST_GROUPS) && seen.size < tasks.length
    );
  });
  return [...(repeated ? ['trial'] : []), ...few.map((name) => `param.${name}`)];
}

/** The groups of the tasks; null where there is nothing to group by. `''` groups repetitions of a configuration. */
export function groupsOf(tasks: readonly Outline[], wanted: string, shape: Shape): Groups | null {
  const by = wanted === '' && shape.repeated ? 'trial' : wanted;
  const name = by.startsWith('param.') ? by.slice('param.'.length) : null;
  if (by !== 'trial' && (name === null || !shape.all.includes(name))) return null;
  const names = [...(shape.varying.length ? shape.varying : shape.all)];
  const first = new Map<string, Outline['params']>();
  const alike = new Map<string, string[]>(); // what all tasks of a trial have: not their seed
  const found = new Map<string, Group>();
  const of = new Map<string, string>();
  for (const task of tasks) {
    if (task.reduces || (name !== null && !(name in task.params))) continue;
    const text = name === null ? String(task.trial) : valueText(task.params[name]);
    const key = `${by}=${text}`;
    const group = found.get(key) ?? {
      key,
      label: name === null ? text : `${name} ${shortValue(task.params[name])}`,
      tasks: [],
      word: name === null ? `trial=${text}` : word(name, '=', text),
    };
    if (name === null) {
      const same = (one: string) => valueText(first.get(key)?.[one]) === valueText(task.params[one]);
      if (!first.has(key)) first.set(key, task.params);
      alike.set(key, (alike.get(key) ?? names).filter(same));
    }
    group.tasks.push(task.id);
    found.set(key, group);
    of.set(task.id, key);
  }
  const all = [...found.values()];
  for (const group of name === null ? all : [])
    group.label = `${group.label}: ${paramLabel(first.get(group.key) ?? {}, alike.get(group.key) ?? [])}`;
  if (name !== null) all.sort((a, b) => a.key.localeCompare(b.key, 'en', { numeric: true }));
  return { by, all, of };
}

export interface Mean {
  steps: number[];
  values: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
}

/** The mean of several curves at the steps of all of them, and a standard deviation below and above it. */
export function meanOf(lines: readonly Line[]): Mean {
  const steps = thinned([...new Set(lines.flatMap((line) => line.steps))].sort((a, b) => a - b));
  const mean: Mean = { steps, values: [], low: [], high: [] };
  for (const step of steps) {
    let [count, sum, squares] = [0, 0, 0];
    for (const line of lines) {
      const value = valueAt(line, step);
      if (value === null) continue;
      count += 1;
      const apart = value - sum;
      sum += apart / count;
      squares += apart * (value - sum);
    }
    const spread = count > 1 ? Math.sqrt(squares / (count - 1)) : 0;
    mean.values.push(count ? sum : null);
    mean.low.push(count ? sum - spread : null);
    mean.high.push(count ? sum + spread : null);
  }
  return mean;
}

function thinned(steps: number[]): number[] {
  const every = Math.ceil(steps.length / MOST_STEPS);
  return every <= 1 ? steps : steps.filter((_, i) => i % every === 0 || i === steps.length - 1);
}
