/** Which parameters go along with good values: a hint for where to look, not a statistic to publish. */

import type { Task } from '../../../api/types';
import { valueText } from '../../../lib/params';
import { isNumeric } from './axis';

const GROUPS = 6;
const LEAST = 8;

export interface Matter {
  name: string;
  /** 0 to 1: the part of the differences in the order of tasks that falls between groups; null for too few tasks. */
  part: number | null;
}

/** The parameter that matters most comes first; the given order when there are too few tasks. */
export function whatMatters(tasks: readonly Task[], names: readonly string[]): Matter[] {
  const known = tasks.filter(({ best_value }) => best_value !== null && best_value !== undefined);
  const order = [...known].sort((a, b) => (a.best_value as number) - (b.best_value as number));
  const rank = new Map(order.map(({ id }, place) => [id, place]));
  const matters = names.map((name) => ({ name, part: part(known, name, rank) }));
  return matters.sort((a, b) => (b.part ?? -1) - (a.part ?? -1));
}

function part(tasks: readonly Task[], name: string, rank: ReadonlyMap<string, number>): number | null {
  if (tasks.length < LEAST) return null;
  const groups = new Map<string | number, number[]>();
  const groupOf = grouping(tasks, name);
  for (const task of tasks) {
    const key = groupOf(task);
    const group = groups.get(key) ?? [];
    group.push(rank.get(task.id) as number);
    groups.set(key, group);
  }
  const count = tasks.length;
  if (groups.size < 2 || groups.size > count / 2) return null;
  const mean = (count - 1) / 2;
  let within = 0;
  let total = 0;
  for (const values of groups.values()) {
    const own = values.reduce((sum, value) => sum + value, 0) / values.length;
    for (const value of values) {
      within += (value - own) ** 2;
      total += (value - mean) ** 2;
    }
  }
  // Corrected for the number of groups: chance alone comes out at nought.
  return Math.max(0, 1 - (within / (count - groups.size)) * ((count - 1) / total));
}

/** Numbers with many values in groups of the same size; anything else by its value. */
function grouping(tasks: readonly Task[], name: string): (task: Task) => string | number {
  const values = tasks.map(({ params }) => params[name]);
  const distinct = new Set(values.map(valueText));
  if (distinct.size <= GROUPS || !isNumeric(values)) return ({ params }) => valueText(params[name]);
  const sorted = values.filter((value) => typeof value === 'number').sort((a, b) => a - b);
  const groups = Math.min(GROUPS, Math.floor(tasks.length / 4));
  const fences = Array.from({ length: groups - 1 }, (_, i) => sorted[Math.floor(((i + 1) * sorted.length) / groups)]);
  return ({ params }) => fences.filter((fence) => (params[name] as number) >= (fence as number)).length;
}
