/** The GPUs of a job over time as steps, in percent of a graph that begins at its upper left. */

import type { GpusPoint } from '../api/types';

export interface Step {
  /** Milliseconds since 1970. */
  at: number;
  gpus: number;
  before: number;
  why: string;
}

export function stepsOf(points: readonly GpusPoint[]): Step[] {
  return points.map(({ at, gpus, why = '' }, i) => ({
    at: Date.parse(at),
    gpus,
    before: points[i - 1]?.gpus ?? 0,
    why,
  }));
}

/** The line of the steps, from the first of them until a moment. */
export function stepLine(steps: readonly Step[], until: number, most: number): string {
  const [first] = steps;
  if (!first) return '';
  const x = (at: number) => round(percentOf(at, first.at, until));
  const y = (gpus: number) => round(100 - (gpus / Math.max(most, 1)) * 100);
  const parts = steps.map(({ at, gpus }) => `H${x(at)}V${y(gpus)}`);
  return `M0 100${parts.join('')}H100`;
}

export function percentOf(at: number, from: number, until: number): number {
  return ((at - from) / Math.max(until - from, 1)) * 100;
}

const round = (value: number) => Number(value.toFixed(2));

/** The step nearest to a place of the graph, in percent; of several there, the last. */
export function stepAt(steps: readonly Step[], until: number, percent: number): Step | undefined {
  const [first] = steps;
  if (!first) return undefined;
  const distance = (step: Step) => Math.abs(percentOf(step.at, first.at, until) - percent);
  return steps.reduce((best, step) => (distance(step) <= distance(best) ? step : best), first);
}

export function gpuHours(steps: readonly Step[], until: number): number {
  const spent = steps.map(({ at, gpus }, i) => gpus * Math.max((steps[i + 1]?.at ?? until) - at, 0));
  return spent.reduce((sum, one) => sum + one, 0) / 3_600_000;
}

const SHORT_MS = 600_000;

/** Whether times need their seconds to tell the steps apart. */
export function isShort(steps: readonly Step[], until: number): boolean {
  return until - (steps[0]?.at ?? until) < SHORT_MS;
}

/** `2 → 4 GPUs` */
export function changeText(before: number, gpus: number): string {
  return `${before} → ${gpus} ${gpus === 1 ? 'GPU' : 'GPUs'}`;
}
