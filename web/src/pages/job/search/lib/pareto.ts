/** What the graph of two objectives shows. */

import type { Objective, SearchReport, TrialReport } from '../../../../api/types';
import { valueAxis } from '../../lib/axis';
import type { XYPoint, XYState } from '../../plots/XYPlot';
import { idOf, metricOf, trialLabel } from './trials';

export interface ParetoState extends XYState {
  points: (XYPoint & { front: boolean })[];
  /** Along the front, from the best in the first to the best in the second. */
  front: [number, number][];
  frontColor: string;
}

interface Look {
  names: readonly string[];
  clip: boolean;
  color: string;
  frontColor: string;
}

export function paretoState(report: SearchReport, [i, j]: readonly [number, number], look: Look): ParetoState {
  const { history, objectives } = report;
  const both = history.filter(({ values }) => isNumber(values[i]) && isNumber(values[j]));
  const axis = (at: number) =>
    valueAxis(
      metricOf(objectives[at]),
      both.map(({ values }) => values[at] as number),
      { clip: look.clip },
    );
  const [x, y] = [axis(i), axis(j)];
  const points = both.map((trial) => ({
    id: idOf(trial),
    label: trialLabel(trial, objectives, look.names) + (trial.front ? '\non the Pareto front' : ''),
    color: trial.front ? look.frontColor : look.color,
    x: x.place(trial.values[i]) ?? 0,
    y: y.place(trial.values[j]) ?? 0,
    front: trial.front ?? false,
  }));
  points.sort((a, b) => Number(a.front) - Number(b.front));
  const front = stairs(both, [i, j], objectives).map(({ values }): [number, number] => [
    x.place(values[i]) ?? 0,
    y.place(values[j]) ?? 0,
  ]);
  return { x, y, points, front, frontColor: look.frontColor };
}

/** Those of the front that bound what was reached in these two: with more objectives, others of it lie behind. */
export function stairs(
  history: readonly TrialReport[],
  [i, j]: readonly [number, number],
  objectives: readonly Objective[],
): TrialReport[] {
  const cost = ({ values }: TrialReport, at: number) =>
    (values[at] as number) * (objectives[at]?.goal === 'max' ? -1 : 1);
  const sorted = history
    .filter(({ front }) => front)
    .sort((a, b) => cost(a, i) - cost(b, i) || cost(a, j) - cost(b, j));
  const found: TrialReport[] = [];
  for (const one of sorted) {
    const before = found.at(-1);
    if (!before || cost(one, j) < cost(before, j)) found.push(one);
  }
  return found;
}

function isNumber(value: number | null | undefined): value is number {
  return value !== null && value !== undefined;
}
