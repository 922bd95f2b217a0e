/** What a graph of parallel coordinates shows. */

import type { Objective, Outline } from '../../../api/types';
import { number } from '../../../lib/format';
import { shortValue } from '../../../lib/params';
import { type Axis, paramAxis, valueAxis } from './axis';
import { places } from './brush';

const BAND = 0.55;
const CROWD = 150;

export interface ParallelLine {
  id: string;
  label: string;
  color: string;
  /** By axis; null where a task has no value. */
  at: (number | null)[];
  texts: string[];
}

export interface ParallelState {
  axes: Axis[];
  /** The worst first, so that the best are drawn over them. */
  lines: ParallelLine[];
  best: string | null;
  /** Those that are brushed; null: all. */
  chosen: ReadonlySet<string> | null;
  /** By axis: from where to where it is brushed. */
  brushes: ([number, number] | null)[];
}

const FAINT = '#888';

export interface Ranked {
  tasks: readonly Outline[];
  metric: string;
  goal: Objective['goal'];
  ranks: ReadonlyMap<string, number>;
  labels: ReadonlyMap<string, string>;
  best: string | null;
  colors: ReadonlyMap<string, string>;
  /** Those among which something is brushed; null when nothing is. */
  around: readonly Outline[] | null;
  brush: readonly string[];
  log: boolean;
  clip: boolean;
}

export function withValue(tasks: readonly Outline[]): (Outline & { best_value: number })[] {
  return tasks.filter(
    (task): task is Outline & { best_value: number } => task.best_value !== null && task.best_value !== undefined,
  );
}

/** `0.1928`, with the configuration above it. */
export function pointLabel({ id, best_value }: Outline, { labels, metric }: Pick<Ranked, 'labels' | 'metric'>): string {
  return `${labels.get(id) ?? id}\nbest ${metric}: ${number(best_value, 5)}`;
}

/** In the order in which they are drawn. */
export function worstFirst<T extends { id: string }>(items: readonly T[], ranks: ReadonlyMap<string, number>): T[] {
  return [...items].sort((a, b) => (ranks.get(b.id) ?? 1) - (ranks.get(a.id) ?? 1));
}

export function parallelState(names: readonly string[], given: Ranked): ParallelState {
  const { tasks, around, metric, goal, ranks, best, colors, brush, log, clip } = given;
  const spanned = around ?? tasks;
  const known = worstFirst(withValue(spanned), ranks);
  const objective = valueAxis(
    metric,
    known.map(({ best_value }) => best_value),
    { log, clip },
  );
  const params = names.map((name) =>
    paramAxis(
      name,
      spanned.map((task) => task.params[name]),
    ),
  );
  const crowd = Math.min(known.length / CROWD, 1);
  const flip = goal === 'max' ? -1 : 1;
  const lines = known.map((task, i) => ({
    id: task.id,
    label: pointLabel(task, given),
    color: colors.get(task.id) ?? FAINT,
    at: [
      ...params.map((axis) =>
        spread(axis, axis.place(task.params[axis.name]), flip * (0.5 - i / known.length) * crowd),
      ),
      objective.place(task.best_value),
    ],
    texts: [...names.map((name) => shortValue(task.params[name])), number(task.best_value)],
  }));
  const axes = [...params, objective];
  const chosen = around ? new Set(tasks.map(({ id }) => id)) : null;
  return { axes, lines, best, chosen, brushes: axes.map((axis, i) => places(axis, brushName(axes, i), brush)) };
}

/** What a filter calls the values of an axis: the last one has the best values. */
export function brushName(axes: readonly Axis[], index: number): string {
  return index === axes.length - 1 ? 'best' : (axes[index] as Axis).name;
}

/** Lines of one category side by side, the better ones on the side of the better values: how many there are is seen. */
function spread({ scale, ticks }: Axis, place: number | null, part: number): number | null {
  return place === null || scale !== 'categories' ? place : place + (part * BAND) / ticks.length;
}
