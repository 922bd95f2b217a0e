/** How good configurations are, one against the other. */

import type { Objective, Task } from '../../../api/types';
import { rankColor, seriesColor } from '../../../lib/colors';

const LEVELS = 12;

/** task -> 0 (best) to 1 (worst), in few levels so that colours hold still while values move. None without a value. */
export function ranks(tasks: readonly Pick<Task, 'id' | 'best_value'>[], goal: Objective['goal']): Map<string, number> {
  const sign = goal === 'max' ? -1 : 1;
  const known = tasks
    .filter(({ best_value }) => best_value !== null && best_value !== undefined)
    .sort((a, b) => sign * ((a.best_value as number) - (b.best_value as number)));
  const last = Math.max(known.length - 1, 1);
  return new Map(known.map(({ id }, place) => [id, Math.round((place / last) * LEVELS) / LEVELS]));
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
