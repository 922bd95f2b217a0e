/** How good configurations are, one against the other. */

import type { Objective, Task } from '../../../api/types';
import { rankColor, seriesColor } from '../../../lib/colors';

const LEVELS = 12;
/** Up to this many curves have colours of their own; more are coloured by how good they are. */
export const OWN_COLORS = 10;

/** task -> 0 (best) to 1 (worst), in few levels so that colours hold still while values move. None without a value. */
export function ranks(tasks: readonly Pick<Task, 'id' | 'best_value'>[], goal: Objective['goal']): Map<string, number> {
  const sign = goal === 'max' ? -1 : 1;
  const known = tasks
    .filter(({ best_value }) => best_value !== null && best_value !== undefined)
    .sort((a, b) => sign * ((a.best_value as number) - (b.best_value as number)));
  const last = Math.max(known.length - 1, 1);
  return new Map(known.map(({ id }, place) => [id, Math.round((place / last) * LEVELS) / LEVELS]));
}

/** Colours of tasks that have their own: by number, so that filters change few of them; no two are the same. */
export function ownColors(tasks: readonly Pick<Task, 'id' | 'number'>[], dark: boolean): Map<string, string> {
  const taken = new Set<number>();
  const found = new Map<string, string>();
  for (const { id, number } of tasks) {
    let place = (number - 1) % OWN_COLORS;
    while (taken.has(place) && taken.size < OWN_COLORS) place = (place + 1) % OWN_COLORS;
    taken.add(place);
    found.set(id, seriesColor(place, dark));
  }
  return found;
}

/** A colour per group, and so per task: as many as there are colours, or by how good a group is. */
export function groupColors(
  groups: readonly { key: string; tasks: readonly string[] }[],
  ranks: ReadonlyMap<string, number>,
  dark: boolean,
): Map<string, string> {
  const rank = (tasks: readonly string[]) => {
    const known = tasks.map((id) => ranks.get(id)).filter((one) => one !== undefined);
    return known.length ? known.reduce((sum, one) => sum + one, 0) / known.length : 1;
  };
  const color = (tasks: readonly string[], i: number) =>
    groups.length <= OWN_COLORS ? seriesColor(i, dark) : rankColor(rank(tasks), dark);
  return new Map(groups.map(({ key, tasks }, i) => [key, color(tasks, i)]));
}

/** The best one stands out; all others by their rank. */
export function sweepColor(rank: number | undefined, best: boolean, dark: boolean): string {
  return best ? bestColor(dark) : rankColor(rank ?? 1, dark);
}

export function bestColor(dark: boolean): string {
  return seriesColor(1, dark);
}

/** Whether two maps are equal. */
export function sameMap<V>(a: ReadonlyMap<string, V>, b: ReadonlyMap<string, V>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
}
