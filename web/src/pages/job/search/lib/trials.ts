/** Trials of a search as points of a graph. */

import type { JobDetail, Objective, SearchReport, TrialReport } from '../../../../api/types';
import type { Cell } from '../../../../lib/download';
import { number } from '../../../../lib/format';
import { paramNames, shortValue, valueText } from '../../../../lib/params';
import { ranks } from '../../lib/ranks';

/** A trial in a graph goes by its first task. */
export function idOf({ tasks, trial }: TrialReport): string {
  return tasks[0] ?? `trial ${trial}`;
}

export function metricOf({ metric }: Objective | undefined = {}): string {
  return metric ?? 'value';
}

/** `0.1928`, or `0.1928 ± 0.0042` over several tasks. */
export function spreadText({ values, spread = [], count = 0 }: TrialReport, at = 0, digits = 4): string {
  const [value, around] = [values[at], spread[at]];
  const many = count > 1 && around !== null && around !== undefined;
  return number(value, digits) + (many ? ` ± ${number(around, 2)}` : '');
}

/** What the pointer shows of a trial. */
export function trialLabel(trial: TrialReport, objectives: readonly Objective[], names: readonly string[]): string {
  const short = names.filter((name) => name in trial.params).slice(0, 12);
  const params = short.map((name) => `${name} ${shortValue(trial.params[name])}`).join(' · ');
  const values = objectives.map((objective, i) => `${metricOf(objective)}: ${spreadText(trial, i, 5)}`);
  return [`Trial ${trial.trial}, ${trial.state}`, params, ...values].filter(Boolean).join('\n');
}

/** The parameters that differ, and what a trial is called with them. */
export function namesOf(report: SearchReport): string[] {
  const { varying, all } = paramNames(report.history);
  return varying.length ? varying : all;
}

/** Trial -> 0 (best) to 1 (worst), by the first objective. */
export function trialRanks({ history, objectives }: SearchReport): Map<string, number> {
  const valued = history.map((trial) => ({ id: idOf(trial), best_value: trial.values[0] ?? null }));
  return ranks(valued, objectives[0]?.goal);
}

/** The best by the first objective; null where there is none, or no single one. */
export function bestOf({ history, objectives }: SearchReport): string | null {
  if (objectives.length > 1) return null;
  const sign = objectives[0]?.goal === 'max' ? -1 : 1;
  let best: TrialReport | null = null;
  for (const trial of history) {
    const value = trial.values[0];
    if (value === null || value === undefined) continue;
    if (!best || sign * value < sign * (best.values[0] as number)) best = trial;
  }
  return best && idOf(best);
}

/** Whether the job searches this parameter on a logarithmic scale; undefined: it is no range. */
export function scaleOf({ spec }: Pick<JobDetail, 'spec'>, name: string): 'log' | 'linear' | undefined {
  const space = spec.params?.[name];
  if (space === null || typeof space !== 'object' || Array.isArray(space) || !('low' in space)) return undefined;
  return space.log ? 'log' : 'linear';
}

export function trialRows({ history, objectives }: SearchReport, names: readonly string[]): Cell[][] {
  const several = objectives.length > 1;
  const head = ['trial', 'tasks', 'state', ...names, ...objectives.map(metricOf), ...(several ? ['front'] : [])];
  const rows = history.map((one) => [
    one.trial,
    one.tasks.join(' '),
    one.state,
    ...names.map((name) => (name in one.params ? valueText(one.params[name]) : null)),
    ...objectives.map((_, i) => one.values[i] ?? null),
    ...(several ? [one.front ? 'yes' : 'no'] : []),
  ]);
  return [head, ...rows];
}
