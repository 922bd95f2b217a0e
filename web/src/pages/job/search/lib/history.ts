/** What the graph of a search's history shows. */

import type { SearchReport, TrialReport } from '../../../../api/types';
import { paramAxis, valueAxis } from '../../lib/axis';
import type { XYPoint, XYState } from '../../plots/XYPlot';
import { idOf, metricOf, trialLabel } from './trials';

export type Mark = 'dot' | 'ring' | 'cross';

export interface HistoryState extends XYState {
  /** Their colours are names of the style sheet. */
  points: (XYPoint & { mark: Mark })[];
  /** The best so far, as places. */
  best: [number, number][];
  bestColor: string;
}

interface Look {
  names: readonly string[];
  log: boolean;
  clip: boolean;
  bestColor: string;
}

export function historyState({ history, objectives }: SearchReport, look: Look): HistoryState {
  const sorted = [...history].sort((a, b) => a.trial - b.trial);
  const values = sorted.map(({ values: [value] }) => value).filter((value) => typeof value === 'number');
  const trials = sorted.map(({ trial }) => trial);
  const x = paramAxis('trial', trials, 'linear');
  const y = valueAxis(metricOf(objectives[0]), values, look);
  const points = sorted.flatMap((trial) => {
    const [at, up] = [x.place(trial.trial), y.place(trial.values[0])];
    // One that failed has no value to be put at: it is shown at the foot.
    if (at === null || (up === null && trial.state !== 'error')) return [];
    const label = trialLabel(trial, objectives, look.names);
    const color = `--state-${trial.state}-bar`;
    return [{ id: idOf(trial), label, color, x: at, y: up ?? 0, mark: markOf(trial) }];
  });
  const best = records(sorted, objectives[0]?.goal === 'max').map(({ trial, value }): [number, number] => [
    x.place(trial) ?? 0,
    y.place(value) ?? 0,
  ]);
  const last = best.at(-1);
  if (last && sorted.length) best.push([x.place(sorted.at(-1)?.trial) ?? 1, last[1]]);
  return { x, y, points, best, bestColor: look.bestColor };
}

function markOf({ state }: TrialReport): Mark {
  if (state === 'error' || state === 'pruned') return 'cross';
  return state === 'finished' ? 'dot' : 'ring';
}

/** The trials that were the best when they ended, as the server reports, by number: each better than those before it. */
export function records(sorted: readonly TrialReport[], up: boolean): { trial: number; value: number }[] {
  const found: { trial: number; value: number }[] = [];
  for (const { trial, values, best } of sorted) {
    const [value] = values;
    if (value === null || value === undefined || value !== best) continue;
    const before = found.at(-1);
    if (!before || (up ? value > before.value : value < before.value)) found.push({ trial, value });
  }
  return found;
}
