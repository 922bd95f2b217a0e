/** What the form holds, all of it as text, and the way to and from a job's spec. The server reads and judges it. */

import type { SpecInput } from '../../../api/submissions';
import type { JobSpec } from '../../../api/types';
import { spaceText } from '../../../lib/params';
import { type Also, alsoOf } from './also';
import { NO_RESOURCES, type ResourceTexts, resourcesOf, splitTriple, textsOf } from './resources';
import { NO_ROOM, type RoomTexts, roomOf, roomTextsOf } from './room';
import { NO_SEARCH, type SearchTexts, searchOf, searchTextsOf } from './search';
import { given, num, numberText, text } from './texts';

export interface Draft extends SearchTexts, RoomTexts {
  mode: 'script' | 'command';
  script: string | null;
  /** The module as which the script is run, where that was asked for. */
  module: string;
  command: string;
  /** What is run when all tasks have finished. */
  reduce: string;
  convention: string;
  name: string;
  description: string;
  tags: string[];
  /** Only its owner and admins see it. */
  isPrivate: boolean;
  /** Hyperparameters by name, as written; empty: not given. */
  params: Record<string, string>;
  /** Names of parameters that were added by hand. */
  added: string[];
  metric: string;
  goal: string;
  resources: ResourceTexts;
  parallel: string;
  envKind: EnvKind;
  envPlace: string;
  /** A folder in which all tasks run; empty: each has its own. */
  workdir: string;
  /** One a line. */
  setup: string;
  variables: string;
  metricFiles: string;
  metricPatterns: string;
  stdout: boolean;
  retries: Record<string, string>;
  grace: string;
  /** Whether tasks go on from where they were when they make way for a reservation. */
  yields: YieldKind;
  /** What the form does not show. */
  also: Also;
}

export const YIELD_KINDS = ['auto', 'yes', 'no'] as const;
export type YieldKind = (typeof YIELD_KINDS)[number];

export const ENV_KINDS = ['default', 'python', 'venv', 'conda'] as const;
export type EnvKind = (typeof ENV_KINDS)[number];

export const EMPTY: Draft = {
  mode: 'script',
  script: null,
  module: '',
  command: '',
  reduce: '',
  convention: 'auto',
  name: '',
  description: '',
  tags: [],
  isPrivate: false,
  params: {},
  added: [],
  metric: 'auto',
  goal: 'auto',
  ...NO_SEARCH,
  ...NO_ROOM,
  resources: NO_RESOURCES,
  parallel: '',
  envKind: 'default',
  envPlace: '',
  workdir: '',
  setup: '',
  variables: '',
  metricFiles: '',
  metricPatterns: '',
  stdout: true,
  retries: {},
  grace: '',
  yields: 'auto',
  also: {},
};

/** An old job, or a sample, as a form. */
export function fromSpec(spec: JobSpec): Draft {
  const { environment = {}, resources = {}, metrics = {}, objective = {} } = spec;
  const envKind = (['python', 'venv', 'conda'] as const).find((kind) => environment[kind]) ?? 'default';
  return {
    mode: spec.command ? 'command' : 'script',
    script: spec.script ?? null,
    module: spec.module ?? '',
    command: spec.command ?? '',
    reduce: spec.reduce ?? '',
    convention: spec.convention ?? 'auto',
    name: spec.name ?? '',
    description: spec.description ?? '',
    tags: spec.tags ?? [],
    isPrivate: spec.visibility === 'private',
    params: Object.fromEntries(Object.entries(spec.params ?? {}).map(([name, space]) => [name, spaceText(space)])),
    added: [],
    metric: objective.metric ?? EMPTY.metric,
    goal: objective.metric === 'auto' ? EMPTY.goal : (objective.goal ?? EMPTY.goal),
    ...searchTextsOf(spec),
    ...roomTextsOf(spec),
    resources: textsOf(resources),
    parallel: numberText(spec.parallel),
    envKind,
    envPlace: envKind === 'default' ? '' : (environment[envKind] ?? ''),
    workdir: spec.workdir ?? '',
    setup: (environment.setup ?? []).join('\n'),
    variables: Object.entries(environment.variables ?? {})
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
    metricFiles: (metrics.files ?? []).join('\n'),
    metricPatterns: (metrics.patterns ?? []).join('\n'),
    stdout: metrics.stdout ?? true,
    retries: Object.fromEntries(Object.entries(spec.retries ?? {}).map(([cause, count]) => [cause, String(count)])),
    grace: numberText(spec.grace_seconds),
    yields: spec.yields == null ? 'auto' : spec.yields ? 'yes' : 'no',
    also: alsoOf(spec),
  };
}

/** What is sent. What was left empty is left out: the server has the defaults. */
export function toSpec(draft: Draft): SpecInput {
  const environment = {
    ...(draft.envKind !== 'default' && draft.envPlace.trim() ? { [draft.envKind]: draft.envPlace.trim() } : {}),
    ...given('setup', lines(draft.setup)),
    ...given('variables', variablesOf(draft.variables).values),
  };
  const metrics = {
    ...given('files', lines(draft.metricFiles)),
    ...given('patterns', lines(draft.metricPatterns)),
    ...(draft.stdout ? {} : { stdout: false }),
  };
  const retries = Object.assign({}, ...Object.entries(draft.retries).map(([cause, count]) => num(cause, count)));
  const params = Object.fromEntries(Object.entries(draft.params).filter(([, written]) => written.trim() !== ''));
  return {
    ...text('name', draft.name),
    ...text('description', draft.description),
    ...given('tags', draft.tags),
    ...(draft.isPrivate ? { visibility: 'private' } : {}),
    ...(draft.mode === 'command' ? { command: draft.command } : draft.script ? { script: draft.script } : {}),
    ...(draft.mode === 'script' ? text('module', draft.module) : {}),
    ...text('workdir', draft.workdir),
    ...text('reduce', draft.reduce),
    ...(draft.mode === 'script' && draft.convention !== 'auto' ? { convention: draft.convention } : {}),
    ...given('params', params),
    objective: { metric: draft.metric.trim(), ...(draft.goal === 'auto' ? {} : { goal: draft.goal }) },
    ...searchOf(draft),
    ...num('parallel', draft.parallel),
    ...given('resources', resourcesOf(draft.resources)),
    ...given('environment', environment),
    ...given('metrics', metrics),
    ...given('retries', retries),
    ...num('grace_seconds', draft.grace),
    ...(draft.yields === 'auto' ? {} : { yields: draft.yields === 'yes' }),
    ...roomOf(draft),
    ...draft.also,
  } as SpecInput;
}

/** What only the form itself can know to be wrong. */
export function slips(draft: Draft): Record<string, string> {
  const found: Record<string, string> = {};
  const { wrong } = variablesOf(draft.variables);
  if (wrong) found['environment.variables'] = `write NAME=value, one per line, not ${wrong}`;
  if (draft.envKind !== 'default' && !draft.envPlace.trim())
    found[`environment.${draft.envKind}`] = 'say which, or use the server’s own';
  const { triple } = draft.resources;
  if (triple && splitTriple(triple).includes('')) found['resources.triple'] = 'say all three, or none of them';
  return found;
}

/** `NAME=value` lines; the first that is none. */
export function variablesOf(written: string): { values: Record<string, string>; wrong: string | null } {
  const all = lines(written);
  const wrong = all.find((line) => line.indexOf('=') < 1) ?? null;
  const pairs = all.filter((line) => line.indexOf('=') > 0);
  const values = Object.fromEntries(
    pairs.map((line) => [line.slice(0, line.indexOf('=')).trim(), line.slice(line.indexOf('=') + 1)]),
  );
  return { values, wrong };
}

function lines(written: string): string[] {
  return written
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== '');
}
