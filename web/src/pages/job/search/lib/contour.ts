/** What the map of two parameters shows: trials as points, and between them what they let expect. */

import type { JobDetail, SearchReport } from '../../../../api/types';
import { type Axis, paramAxis } from '../../lib/axis';
import { sweepColor } from '../../lib/ranks';
import type { XYPoint, XYState } from '../../plots/XYPlot';
import { bestOf, idOf, scaleOf, trialLabel, trialRanks } from './trials';

export interface Field {
  columns: number;
  rows: number;
  /** Row by row from the top: 0 (best) to 1 (worst). */
  ranks: Float32Array;
  /** How much is known there: 0 to 1. */
  known: Float32Array;
}

export interface ContourState extends XYState {
  points: XYPoint[];
  best: string | null;
  field: Field | null;
  dark: boolean;
}

interface Sample {
  x: number;
  y: number;
  rank: number;
}

const COLUMNS = 60;
const ROWS = 40;
const LEAST = 6;
const MOST_SAMPLES = 1000;

export function contourState(
  report: SearchReport,
  job: Pick<JobDetail, 'spec'>,
  [across, up]: readonly [string, string],
  { names, dark, colors }: { names: readonly string[]; dark: boolean; colors: ReadonlyMap<string, string> },
): ContourState {
  const valued = report.history.filter(({ values: [value] }) => value !== null && value !== undefined);
  const axis = (name: string) =>
    paramAxis(
      name,
      valued.map(({ params }) => params[name]),
      scaleOf(job, name),
    );
  const [x, y] = [axis(across), axis(up)];
  const ranks = trialRanks(report);
  const best = bestOf(report);
  const samples: Sample[] = [];
  const points = valued.flatMap((trial) => {
    const [at, above] = [x.place(trial.params[across]), y.place(trial.params[up])];
    if (at === null || above === null) return [];
    const id = idOf(trial);
    const rank = ranks.get(id) ?? 1;
    samples.push({ x: at, y: above, rank });
    const label = trialLabel(trial, report.objectives, names);
    return [{ id, label, color: colors.get(id) ?? sweepColor(rank, id === best, dark), x: at, y: above, rank }];
  });
  points.sort((a, b) => b.rank - a.rank); // the best are drawn last
  return { x, y, points, best, field: samples.length < LEAST ? null : fieldOf(thinned(samples), x, y), dark };
}

/** Every place looks at every trial, and a thousand of them tell the same as all. */
function thinned(samples: readonly Sample[]): Sample[] {
  const every = Math.ceil(samples.length / MOST_SAMPLES);
  return samples.filter((_, i) => i % every === 0);
}

/** A mean of the trials around each place, the near ones counting most. Values of a list do not blend. */
export function fieldOf(samples: readonly Sample[], x: Axis, y: Axis): Field {
  const reach = Math.min(Math.max(0.45 / Math.sqrt(samples.length), 0.05), 0.2);
  const ranks = new Float32Array(COLUMNS * ROWS);
  const known = new Float32Array(COLUMNS * ROWS);
  for (let row = 0; row < ROWS; row++) {
    const v = 1 - (row + 0.5) / ROWS;
    for (let column = 0; column < COLUMNS; column++) {
      const u = (column + 0.5) / COLUMNS;
      let [sum, weights] = [0, 0];
      for (const one of samples) {
        const distance = apart(x, u, one.x) ** 2 + apart(y, v, one.y) ** 2;
        const weight = Math.exp(-distance / (2 * reach ** 2));
        sum += weight * one.rank;
        weights += weight;
      }
      ranks[row * COLUMNS + column] = weights > 1e-9 ? sum / weights : 1;
      known[row * COLUMNS + column] = Math.min(weights * 1.5, 1);
    }
  }
  return { columns: COLUMNS, rows: ROWS, ranks, known };
}

function apart({ scale, ticks }: Axis, place: number, of: number): number {
  if (scale !== 'categories') return place - of;
  return Math.abs(place - of) < 0.5 / Math.max(ticks.length, 1) ? 0 : 1;
}

/** The two parameters that are shown: those that were chosen, else those that matter most. */
export function chosenTwo(
  [first, second]: readonly [string, string],
  names: readonly string[],
  importance: Record<string, number>,
): [string, string] {
  const order = [...Object.keys(importance).filter((name) => names.includes(name)), ...names];
  const across = names.includes(first) ? first : (order.find((name) => name !== second) ?? '');
  const up = names.includes(second) && second !== across ? second : (order.find((name) => name !== across) ?? '');
  return [across, up];
}
