/** What a task needs, as texts of the form, and back. The server reads and judges it. */

import type { BackendInfo, HostsResources, Resources, SlurmResources } from '../../../api/types';
import { plural, sizeText, spanText } from '../../../lib/format';

export type ResourceName =
  | Exclude<keyof Resources, 'slurm' | 'hosts' | 'most_gpus'>
  | keyof SlurmResources
  | keyof HostsResources;
/** All of it as written; options one a line, hosts with commas. Empty: not given. */
export type ResourceTexts = Record<ResourceName, string>;

const NUMBERS: readonly ResourceName[] = ['gpus', 'cpus', 'memory', 'per_gpu', 'nodes', 'slots', 'nice'];

export const NO_RESOURCES: ResourceTexts = {
  backend: '',
  profile: '',
  gpus: '',
  cpus: '',
  memory: '',
  time_limit: '',
  per_gpu: '',
  gpu_type: '',
  nodes: '',
  launcher: '',
  slots: '',
  triple: '',
  container: '',
  only: '',
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

/** What only one kind of backend knows: a section of its own in what is sent. */
const OF_HOSTS = new Set<ResourceName>(['only']);
const OF_SLURM = new Set<ResourceName>(RESOURCE_NAMES.slice(RESOURCE_NAMES.indexOf('partition')));

/** Folded away: most jobs do not need them. */
export const FURTHER: readonly ResourceName[] = RESOURCE_NAMES.slice(RESOURCE_NAMES.indexOf('gpu_type'));

/** The further fields that have an effect on each kind of backend. */
const EFFECTIVE: Record<BackendInfo['kind'], ReadonlySet<ResourceName>> = {
  local: new Set(['slots', 'triple', 'container']),
  kubernetes: new Set(['slots', 'triple', 'container', 'gpu_type']),
  hosts: new Set(['slots', 'triple', 'container', 'gpu_type', 'only']),
  slurm: new Set(FURTHER.filter((name) => !OF_HOSTS.has(name))),
};

/** Fields that a triple contains already. */
const OF_TRIPLE = new Set<ResourceName>(['gpus', 'cpus', 'per_gpu', 'nodes', 'slots', 'launcher']);

export function textsOf(resources: Resources): ResourceTexts {
  const text = (name: ResourceName): string => {
    const value = { ...resources, ...resources.slurm, ...resources.hosts }[name];
    if (name === 'only') return (resources.hosts?.only ?? []).join(', ');
    if (Array.isArray(value)) return value.join('\n');
    if (name === 'gpus' && resources.most_gpus) return `${resources.gpus}..${resources.most_gpus}`;
    if (name === 'triple') return tripleText(resources.triple);
    if (name === 'container') return containerText(resources.container);
    if (name === 'memory') return sizeText(resources.memory);
    if (name === 'time_limit') return spanText(resources.time_limit);
    return value === null || value === undefined ? '' : String(value);
  };
  return Object.fromEntries(RESOURCE_NAMES.map((name) => [name, text(name)])) as ResourceTexts;
}

/** The given resources. A text that is no number is sent as it is, and the server reports what is wrong. */
export function resourcesOf(texts: ResourceTexts): Record<string, unknown> {
  const given = RESOURCE_NAMES.filter((name) => texts[name].trim() !== '');
  const values = (names: ResourceName[]) =>
    Object.fromEntries(names.map((name) => [name, valueGiven(name, texts[name].trim())]));
  const section = (title: string, names: ReadonlySet<ResourceName>) => {
    const its = given.filter((name) => names.has(name));
    return its.length ? { [title]: values(its) } : {};
  };
  return {
    ...values(given.filter((name) => !OF_SLURM.has(name) && !OF_HOSTS.has(name))),
    ...section('slurm', OF_SLURM),
    ...section('hosts', OF_HOSTS),
  };
}

function valueGiven(name: ResourceName, written: string): unknown {
  if (name === 'options') return optionsOf(written);
  if (name === 'container' && written.startsWith('{')) return parsed(written);
  if (name === 'only') return written.split(/[,\s]+/).filter(Boolean);
  return NUMBERS.includes(name) && Number.isFinite(Number(written)) ? Number(written) : written;
}

/** The image alone, where nothing else is said of it; otherwise all of it as JSON. */
function containerText(container: Resources['container']): string {
  if (!container) return '';
  const { image, engine, options = [], mounts = [], python } = container;
  const plain = (engine ?? 'auto') === 'auto' && (python ?? 'python3') === 'python3';
  return plain && !options.length && !mounts.length ? image : JSON.stringify(container);
}

function parsed(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
}

/** `2,8,4`: nodes, tasks on each, threads of each. */
export type TripleTexts = [nodes: string, tasks: string, threads: string];

function tripleText(triple: Resources['triple']): string {
  return triple ? joinTriple([triple.nodes, triple.tasks, triple.threads].map(String)) : '';
}

export function splitTriple(written: string): TripleTexts {
  const [nodes = '', tasks = '', threads = ''] = written.split(',').map((part) => part.trim());
  return [nodes, tasks, threads];
}

/** Nothing where all three are empty. */
export function joinTriple(parts: readonly string[]): string {
  return parts.some((part) => part !== '') ? parts.join(',') : '';
}

/** Whether a field has no effect beside the triple. A field with a value stays, so that the server can refuse it. */
export function isOfTriple(name: ResourceName, texts: ResourceTexts): boolean {
  return texts.triple !== '' && texts[name] === '' && OF_TRIPLE.has(name);
}

/** The field that shows the error when resources contradict each other. */
export function excluding(texts: ResourceTexts): string {
  return (
    (['triple', 'per_gpu'] as const).map((name) => texts[name] && `resources.${name}`).find(Boolean) ?? 'resources'
  );
}

/** One a line, as they are written after sbatch. */
function optionsOf(written: string): string[] {
  return written
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}

/** Where the job would run, as far as it is known before the server is asked. */
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
  return !FURTHER.includes(name) || EFFECTIVE[kind ?? 'slurm'].has(name) || texts[name] !== '';
}

/** The value that the profile or the backend sets, as `16G`; otherwise what happens without a value. */
export function without(name: ResourceName, defaults: readonly (Resources | undefined)[], otherwise: string): string {
  for (const one of defaults) {
    const text = one ? textsOf(one)[name] : '';
    if (text) return text;
  }
  return otherwise;
}

/** The whole in one line: `slurm, 1 GPU, 16G, 4h`. */
export function resourcesText(texts: ResourceTexts, parallel: string): string {
  const more = FURTHER.filter((name) => texts[name] !== '' && name !== 'triple').length;
  const unsaid = texts.profile || texts.triple ? '' : 'GPU if there is one';
  const parts = [
    texts.backend,
    texts.profile && `profile ${texts.profile}`,
    texts.gpus === '' ? unsaid : gpusText(texts.gpus),
    texts.per_gpu && sharingText(texts.per_gpu),
    texts.triple &&
      splitTriple(texts.triple)
        .map((part) => part || '?')
        .join(' × '),
    texts.cpus && plural(Number(texts.cpus), 'CPU'),
    texts.memory,
    texts.time_limit,
    more ? `${more} more` : '',
    parallel && `${parallel} at a time`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** A range or a word is said as it is written. */
function gpusText(written: string): string {
  const count = Number(written);
  return Number.isFinite(count) ? plural(count, 'GPU') : `${written} GPUs`;
}

function sharingText(written: string): string {
  return written === 'auto' ? 'shared by as many as pay' : `shared by ${written}`;
}
