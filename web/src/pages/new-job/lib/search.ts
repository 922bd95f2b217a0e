/** How is searched and when is stopped early, as texts of the form, and back. The server reads and judges it. */

import type { JobSpec, Method, Objective, Preview, StopEarly } from '../../../api/types';
import { plural, spanText } from '../../../lib/format';
import { given, num, numberText, text } from './texts';

export type StopMethod = NonNullable<StopEarly['method']>;

export interface ObjectiveTexts {
  metric: string;
  goal: string;
}

export interface SearchTexts {
  /** Objectives after the first. */
  others: ObjectiveTexts[];
  method: string;
  trials: string;
  timeBudget: string;
  seed: string;
  repeat: string;
  /** Ids of jobs. */
  warmStart: string[];
  interval: string;
  stopMethod: string;
  minSteps: string;
  maxSteps: string;
  eta: string;
  minTrials: string;
  stopInterval: string;
}

export const NO_SEARCH: SearchTexts = {
  others: [],
  method: 'auto',
  trials: '',
  timeBudget: '',
  seed: '',
  repeat: '',
  warmStart: [],
  interval: '',
  stopMethod: 'none',
  minSteps: '',
  maxSteps: '',
  eta: '',
  minTrials: '',
  stopInterval: '',
};

export const METHODS: Record<Method, { name: string; says: string }> = {
  auto: { name: 'Automatic', says: 'a grid of lists; TPE where there are ranges' },
  grid: { name: 'Grid', says: 'all combinations' },
  random: { name: 'Random', says: 'drawn at random' },
  sobol: { name: 'Sobol', says: 'spread evenly over the ranges' },
  tpe: { name: 'TPE', says: 'learns where good values lie; takes anything' },
  gp: { name: 'Gaussian process', says: 'for few and costly trials of numbers' },
  cmaes: { name: 'CMA-ES', says: 'for many trials of numbers' },
  evolution: { name: 'Evolution', says: 'changes good ones a little; for layers' },
  nsga2: { name: 'NSGA-II', says: 'for several objectives' },
  pbt: { name: 'Population-based training', says: 'changes values while training' },
};

export const STOPS: Record<StopMethod, { name: string; says: string }> = {
  none: { name: 'None', says: 'every task runs to its end' },
  median: { name: 'Median', says: 'stops what is worse than half of the others' },
  asha: { name: 'ASHA', says: 'only the best go on past each rung' },
  hyperband: { name: 'Hyperband', says: 'ASHA with several first rungs' },
};

type Knob = 'minSteps' | 'maxSteps' | 'eta' | 'minTrials' | 'stopInterval';

export const KNOBS: Record<Knob, string> = {
  minSteps: 'min_steps',
  maxSteps: 'max_steps',
  eta: 'eta',
  minTrials: 'min_trials',
  stopInterval: 'interval',
};

const APPLY: Record<string, readonly Knob[]> = {
  median: ['minSteps', 'maxSteps', 'minTrials', 'stopInterval'],
  asha: ['minSteps', 'maxSteps', 'eta'],
  hyperband: ['minSteps', 'maxSteps', 'eta'],
};

/** The knobs that mean something with this method. */
export function knobsOf(stopMethod: string): readonly Knob[] {
  return APPLY[stopMethod] ?? [];
}

export function searchTextsOf(spec: JobSpec): SearchTexts {
  const { search = {}, stop_early: stop = {}, other_objectives: others = [] } = spec;
  return {
    others: others.map(({ metric, goal }) => ({ metric: metric ?? '', goal: goal ?? 'min' })),
    method: search.method ?? NO_SEARCH.method,
    trials: numberText(search.trials),
    timeBudget: spanText(search.time_budget),
    seed: search.seed ? String(search.seed) : '',
    repeat: unless(1, search.repeat),
    warmStart: search.warm_start ?? [],
    interval: numberText(search.interval),
    stopMethod: stop.method ?? NO_SEARCH.stopMethod,
    minSteps: numberText(stop.min_steps),
    maxSteps: numberText(stop.max_steps),
    eta: unless(3, stop.eta),
    minTrials: unless(5, stop.min_trials),
    stopInterval: numberText(stop.interval),
  };
}

/** What was given of it; what does not apply stays out. */
export function searchOf(texts: SearchTexts): Record<string, unknown> {
  // A row that is not filled in yet is none.
  const named = texts.others.filter(({ metric }) => metric.trim() !== '');
  const objectives = named.map(
    ({ metric, goal }) => ({ metric: metric.trim(), ...(goal === 'auto' ? {} : { goal }) }) as Objective,
  );
  const knobs = knobsOf(texts.stopMethod).map((knob) => num(KNOBS[knob], texts[knob]));
  return {
    ...given('other_objectives', objectives),
    search: {
      method: texts.method,
      ...num('trials', texts.trials),
      ...text('time_budget', texts.timeBudget),
      ...num('seed', texts.seed),
      ...num('repeat', texts.repeat),
      ...given('warm_start', texts.warmStart),
      ...(texts.method === 'pbt' ? num('interval', texts.interval) : {}),
    },
    ...(texts.stopMethod === 'none' ? {} : { stop_early: Object.assign({ method: texts.stopMethod }, ...knobs) }),
  };
}

/** `40 configurations, chosen as results come in; the first ones:` */
export function adaptiveText({ count, spec }: Pick<Preview, 'count' | 'spec'>): string {
  const each = spec.search?.repeat ?? 1;
  const many =
    count === null
      ? 'As many configurations as there is time for'
      : plural(Math.ceil(count / each), 'configuration') + (each > 1 ? `, ${each} tasks each` : '');
  return `${many}, chosen as results come in; the first ones:`;
}

/** Nothing where it is what there is without. */
function unless(usual: number, value: number | null | undefined): string {
  return value === usual ? '' : numberText(value);
}
