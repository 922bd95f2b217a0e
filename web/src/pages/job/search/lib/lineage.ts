/** What the graph of a population shows: a lane a task, and who went on from whom. */

import type { Move, Outline } from '../../../../api/types';
import { changesText } from '../../../../lib/params';
import { type Axis, paramAxis } from '../../lib/axis';

export interface Lane {
  id: string;
  name: string;
  label: string;
  color: string;
  /** Where it ends: a place on the axis. */
  to: number;
}

export interface LineageState {
  x: Axis;
  lanes: Lane[];
  /** From one lane to another, by their positions. */
  moves: { from: number; to: number; at: number }[];
}

export function lineageState(
  moves: readonly Move[],
  tasks: readonly Outline[],
  look: { colors: ReadonlyMap<string, string> },
): LineageState {
  const steps = [0, ...moves.map(({ step }) => step), ...tasks.map(({ epoch }) => epoch ?? 0)];
  const x = paramAxis('epoch', [Math.min(...steps), Math.max(...steps)], 'linear');
  const lane = new Map(tasks.map(({ id }, i) => [id, i]));
  return {
    x,
    lanes: tasks.map((task) => ({
      id: task.id,
      name: `task ${task.number}`,
      label: [`Task ${task.number}, ${task.state}`, ...moves.filter((one) => one.task === task.id).map(moveText)].join(
        '\n',
      ),
      color: look.colors.get(task.id) ?? '#888',
      to: x.place(task.epoch ?? 0) ?? 0,
    })),
    moves: moves.flatMap(({ task, source, step }) => {
      const [from, to] = [lane.get(source), lane.get(task)];
      return from === undefined || to === undefined ? [] : [{ from, to, at: x.place(step) ?? 0 }];
    }),
  };
}

/** `epoch 12: from task 7, lr 0.1 → 0.12` */
function moveText({ source, step, before, after }: Move): string {
  const changes = changesText(before, after);
  return `epoch ${step}: from task ${numberOf(source)}${changes && `, ${changes}`}`;
}

/** 7 of `k3v9x2ab-7`. */
export function numberOf(task: string): string {
  return task.slice(task.lastIndexOf('-') + 1);
}
