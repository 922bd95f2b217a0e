/** What a task needs, as texts of the form, and back. The server reads and judges it. */

import type { BackendInfo, Resources } from '../../../api/types';
import { plural, sizeText, spanText } from '../../../lib/format';

export type ResourceName = keyof Resources;
/** All of it as written; options one a line. Empty: not given. */
export type ResourceTexts = Record<ResourceName, string>;

const NUMBERS: readonly ResourceName[] = ['gpus', 'cpus', 'memory', 'nodes', 'slots', 'nice'];

export const NO_RESOURCES: ResourceTexts = {
  backend: '',
  profile: '',
  gpus: '',
  cpus: '',
  memory: '',
  time_limit: '',
  gpu_type: '',
  nodes: '',
  launcher: '',
  slots: '',
  partition: '',
  account: '',
  qos: '',
  constraint: '',
  nodelist: '',
  exclude: '',
  reservation: '',
  nice: '',
  options: '',
};

export const RESOURCE_NAMES = Object.keys(NO_RESOURCES) as ResourceName[];

/** Folded away: most jobs do not need them. */
export const FURTHER: readonly ResourceName[] = RESOURCE_NAMES.slice(RESOURCE_NAMES.indexOf('gpu_type'));

/** What means nothing on one's own machine. */
const CLUSTER_ONLY = new Set<ResourceName>(FURTHER.filter((name) => name !== 'slots'));

export function textsOf(resources: Resources): ResourceTexts {
  const text = (name: ResourceName): string => {
    const value = resources[name];
    if (Array.isArray(value)) return value.join('\n');
    if (name === 'memory') return sizeText(resources.memory);
    if (name === 'time_limit') return spanText(resources.time_limit);
    return value === null || value === undefined ? '' : String(value);
  };
  return Object.fromEntries(RESOURCE_NAMES.map((name) => [name, text(name)])) as ResourceTexts;
}

/** What was given. A text that is no number goes as it is, and the server says what is wrong with it. */
export function resourcesOf(texts: ResourceTexts): Record<string, unknown> {
  const given = RESOURCE_NAMES.filter((name) => texts[name].trim() !== '');
  return Object.fromEntries(given.map((name) => [name, valueGiven(name, texts[name].trim())]));
}

function valueGiven(name: ResourceName, written: string): unknown {
  if (name === 'options') return optionsOf(written);
  return NUMBERS.includes(name) && Number.isFinite(Number(written)) ? Number(written) : written;
}

/** One a line, as they are written after sbatch. */
function optionsOf(written: string): string[] {
  return written
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}

/** Where the job would run, as far as it can be told before the server is asked. */
export function backendOf(
  { backend, profile }: ResourceTexts,
  backends: readonly BackendInfo[],
  profiles: Record<string, Resources>,
): BackendInfo | undefined {
  const named = backend || profiles[profile]?.backend;
  return backends.find((one) => (named ? one.name === named : one.default));
}

/** What is said of a field that has something in it is never hidden. */
export function isShown(name: ResourceName, texts: ResourceTexts, kind: BackendInfo['kind'] | undefined): boolean {
  return kind !== 'local' || !CLUSTER_ONLY.has(name) || texts[name] !== '';
}

/** `16G` where the profile or the backend says so; else what happens without. */
export function without(name: ResourceName, defaults: readonly (Resources | undefined)[], otherwise: string): string {
  for (const one of defaults) {
    const text = one ? textsOf(one)[name] : '';
    if (text) return text;
  }
  return otherwise;
}

/** The whole in one line: `slurm, 1 GPU, 16G, 4h`. */
export function resourcesText(texts: ResourceTexts, parallel: string): string {
  const more = FURTHER.filter((name) => texts[name] !== '').length;
  const parts = [
    texts.backend,
    texts.profile && `profile ${texts.profile}`,
    texts.gpus === '' ? (texts.profile ? '' : 'GPU if there is one') : plural(Number(texts.gpus), 'GPU'),
    texts.cpus && plural(Number(texts.cpus), 'CPU'),
    texts.memory,
    texts.time_limit,
    more ? `${more} more` : '',
    parallel && `${parallel} at a time`,
  ];
  return parts.filter(Boolean).join(', ');
}
