/** What the graph of one parameter against the objective shows. */

import type { Outline } from '../../../api/types';
import type { XYPoint, XYState } from '../plots/XYPlot';
import { paramAxis, valueAxis } from './axis';
import { pointLabel, type Ranked, withValue, worstFirst } from './parallel';

export interface ScatterState extends XYState {
  points: XYPoint[];
  /** The middle value of each category, and half its width. */
  medians: { x: number; y: number; half: number }[];
  best: string | null;
}

export function scatterState(param: string, scale: string, given: Ranked): ScatterState {
  const { tasks, metric, ranks, best, colors, log, clip } = given;
  const known = worstFirst(withValue(tasks), ranks);
  const x = paramAxis(
    param,
    tasks.map(({ params }) => params[param]),
    scale,
  );
  const y = valueAxis(
    metric,
    known.map(({ best_value }) => best_value),
    { log, clip },
  );
  const half = x.scale === 'categories' ? 0.3 / Math.max(x.ticks.length, 1) : 0;
  const points: XYPoint[] = [];
  const groups = new Map<number, number[]>();
  for (const task of known) {
    const [across, up] = [x.place(task.params[param]), y.place(task.best_value)];
    if (across === null || up === null) continue;
    const color = colors.get(task.id) ?? '#888';
    points.push({ id: task.id, label: pointLabel(task, given), color, x: across + half * scattered(task), y: up });
    if (half === 0) continue;
    const group = groups.get(across);
    if (group) group.push(up);
    else groups.set(across, [up]);
  }
  const medians = [...groups].map(([at, values]) => ({ x: at, y: middle(values), half }));
  return { x, y, points, medians, best };
}

/** -1 to 1, always the same for a task: points of one category do not hide each other. */
export function scattered({ number }: Pick<Outline, 'number'>): number {
  return ((number * 0.618_033_988_75) % 1) * 2 - 1;
}

export function middle(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(at)] as number) + (sorted[Math.ceil(at)] as number)) / 2;
}
