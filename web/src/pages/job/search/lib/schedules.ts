/** What the graph of a population's parameters over time shows: a line a task, with a mark where it went on from another. */

import type { Move, Outline } from '../../../../api/types';
import { shortValue, valueText } from '../../../../lib/params';
import { paramAxis } from '../../lib/axis';
import type { XYPoint, XYState } from '../../plots/XYPlot';
import { numberOf } from './lineage';

export interface ScheduleLine {
  id: string;
  color: string;
  /** Places, from left to right: the value holds until the next. */
  steps: [number, number][];
}

export interface ScheduleState extends XYState {
  lines: ScheduleLine[];
  /** Where a task went on from another, at its new value. */
  points: XYPoint[];
}

/** The parameters that moves have changed. */
export function movedNames(moves: readonly Move[]): string[] {
  const names = new Set(moves.flatMap(({ before, after }) => Object.keys({ ...before, ...after })));
  const changed = (name: string) =>
    moves.some(({ before, after }) => valueText(before[name]) !== valueText(after[name]));
  return [...names].filter(changed);
}

export function scheduleState(
  moves: readonly Move[],
  tasks: readonly Outline[],
  param: string,
  look: { colors: ReadonlyMap<string, string>; scale?: string },
): ScheduleState {
  const ofTask = new Map<string, Move[]>();
  for (const move of [...moves].sort((a, b) => a.step - b.step)) {
    ofTask.set(move.task, [...(ofTask.get(move.task) ?? []), move]);
  }
  const values = [
    ...moves.flatMap(({ before, after }) => [before[param], after[param]]),
    ...tasks.map(({ params }) => params[param]),
  ].filter((value) => value !== undefined);
  const ends = [0, ...moves.map(({ step }) => step), ...tasks.map(({ epoch }) => epoch ?? 0)];
  const x = paramAxis('epoch', [Math.min(...ends), Math.max(...ends)], 'linear');
  // Many different values are on a scale, however few the tasks are.
  const numeric = values.every((value) => typeof value === 'number');
  const y = paramAxis(param, values, numeric ? (look.scale ?? 'log') : 'categories');
  const lines: ScheduleLine[] = [];
  const points: XYPoint[] = [];
  for (const task of tasks) {
    const own = ofTask.get(task.id) ?? [];
    const color = look.colors.get(task.id) ?? '#888';
    const at = (step: number, value: unknown): [number, number] | null => {
      const [across, up] = [x.place(step), y.place(value)];
      return across === null || up === null ? null : [across, up];
    };
    const reached = Math.max(task.epoch ?? 0, own.at(-1)?.step ?? 0);
    const steps = [
      at(Math.min(...ends), own[0] ? own[0].before[param] : task.params[param]),
      ...own.map(({ step, after }) => at(step, after[param])),
      at(reached, own.length ? own.at(-1)?.after[param] : task.params[param]),
    ].filter((place) => place !== null);
    lines.push({ id: task.id, color, steps });
    const label = [
      `Task ${task.number}, ${task.state}: ${param} ${shortValue(task.params[param])}`,
      ...own.map(
        ({ step, source, before, after }) =>
          `epoch ${step}: from task ${numberOf(source)}, ${shortValue(before[param])} → ${shortValue(after[param])}`,
      ),
    ].join('\n');
    for (const { step, after } of own) {
      const place = at(step, after[param]);
      if (place) points.push({ id: task.id, label, color, x: place[0], y: place[1] });
    }
    const last = steps.at(-1);
    if (last) points.push({ id: task.id, label, color, x: last[0], y: last[1] });
  }
  return { x, y, lines, points };
}
