/** Jobs side by side: which parameters differ, and the figures of each metric. */

import type { Curve, Job, Task } from '../../api/types';
import { valueText } from '../../lib/params';

export interface Row {
  name: string;
  /** One per task, in their order; empty where it does not apply. */
  texts: string[];
  differs: boolean;
}

/** One row per parameter, in the order in which they are first met; those that differ come first. */
export function paramRows(tasks: readonly Pick<Task, 'params'>[]): Row[] {
  const names = [...new Set(tasks.flatMap(({ params }) => Object.keys(params)))];
  const rows = names.map((name) => {
    const texts = tasks.map(({ params }) => (name in params ? valueText(params[name]) : ''));
    return { name, texts, differs: texts.some((text) => text !== texts[0]) };
  });
  return [...rows.filter(({ differs }) => differs), ...rows.filter(({ differs }) => !differs)];
}

export interface Figures {
  last: number | null;
  min: number | null;
  max: number | null;
}

/** The last, smallest and largest value of a curve. The server keeps ends and extremes when it thins one out. */
export function figures(curve: Curve | undefined): Figures {
  const values = (curve?.values ?? []).filter((value) => value !== null && value !== undefined);
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return values.length ? { last: values.at(-1) ?? null, min, max } : { last: null, min: null, max: null };
}

/** Metrics that tasks have reported: objectives first, then those that most tasks have; not what the runner measures. */
export function metricNames(curves: readonly Curve[][], jobs: readonly Pick<Job, 'objective'>[]): string[] {
  const counts = new Map<string, number>();
  for (const { metric } of curves.flat()) {
    if (!metric.startsWith('sys/')) counts.set(metric, (counts.get(metric) ?? 0) + 1);
  }
  const first = new Set(jobs.map(({ objective }) => objective.metric ?? ''));
  const place = (name: string) => (first.has(name) ? 1000 : 0) + (counts.get(name) ?? 0);
  return [...counts.keys()].sort((a, b) => place(b) - place(a) || a.localeCompare(b));
}

/** Whether larger is better, by the objective of a job that has this metric, else by its name; null: nobody says so. */
export function goalOf(
  metric: string,
  jobs: readonly Pick<Job, 'objective'>[],
  curves: readonly Pick<Curve, 'metric' | 'goal'>[] = [],
): 'min' | 'max' | null {
  const chosen = jobs.find(({ objective }) => objective.metric === metric)?.objective.goal;
  return chosen ?? curves.find((one) => one.metric === metric)?.goal ?? null;
}

/** The places of the best values; none where all are the same or fewer than two are known. */
export function bestPlaces(values: readonly (number | null)[], goal: 'min' | 'max' | null): Set<number> {
  const known = values.filter((value) => value !== null);
  if (goal === null || new Set(known).size < 2) return new Set();
  const best = goal === 'max' ? Math.max(...known) : Math.min(...known);
  return new Set(values.flatMap((value, place) => (value === best ? [place] : [])));
}
