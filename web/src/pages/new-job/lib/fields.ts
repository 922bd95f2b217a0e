/** Which field of the form an error of the server belongs to. */

import { RESOURCE_NAMES } from './resources';
import { KNOBS } from './search';

const FIELDS = [
  'name',
  'description',
  'tags',
  'script',
  'command',
  'reduce',
  'files',
  'convention',
  'params',
  'objective',
  'objective.metric',
  'objective.goal',
  'search',
  'search.method',
  'search.trials',
  'search.seed',
  'search.time_budget',
  'search.repeat',
  'search.warm_start',
  'search.interval',
  'other_objectives',
  'stop_early',
  'stop_early.method',
  ...Object.values(KNOBS).map((name) => `stop_early.${name}`),
  'parallel',
  'resources',
  ...RESOURCE_NAMES.map((name) => `resources.${name}`),
  'environment',
  'environment.python',
  'environment.venv',
  'environment.conda',
  'environment.setup',
  'environment.variables',
  'metrics.files',
  'metrics.patterns',
  'metrics.stdout',
  'grace_seconds',
  'yields',
  'priority',
  'elastic.give_way',
  'elastic.keep',
  'elastic.keep_size',
  'workdir',
];

const SECTIONS: Record<string, RegExp> = {
  resources: /^(resources(\.|$)|parallel$|elastic\.keep_size$)/,
  environment: /^(environment(\.|$)|convention$|workdir$)/,
  metrics: /^metrics\./,
  room: /^(priority$|elastic\.(give_way|keep)$)/,
  retries: /^(retries\.|grace_seconds$|yields$)/,
};

// The server's words for it are a regular expression.
const NO_NAME = 'a name begins with a letter or _, and has no spaces or other signs';
const NO_SIGN = 'it contains a character that is not allowed';
const PATTERN = /^String should match pattern /;

export interface Placed {
  at: Record<string, string>;
  /** What has no field in this form. */
  rest: Record<string, string>;
}

/** By the longest field that a name begins with: `spec.tags.0` belongs to `tags`. `whole`: where it is said when the
 * resources do not go together. */
export function place(faults: Record<string, string>, more: readonly string[], whole = 'resources'): Placed {
  const fields = [...FIELDS, ...more].sort((a, b) => b.length - a.length);
  const placed: Placed = { at: {}, rest: {} };
  for (const [given, message] of Object.entries(faults)) {
    const name = given.replace(/^spec\./, '').replace(/^resources\.(slurm|hosts)\./, 'resources.');
    const found = fields.find((one) => name === one || name.startsWith(`${one}.`));
    const field = found === 'resources' ? whole : found;
    if (field === undefined) placed.rest[given] = message;
    else if (!(field in placed.at)) placed.at[field] = sentence(words(name, message));
  }
  return placed;
}

/** The folded parts of the form that contain a value or an error. */
export function sectionsOf(fields: readonly string[]): string[] {
  return Object.keys(SECTIONS).filter((section) => fields.some((field) => SECTIONS[section]?.test(field)));
}

/** `learning_rate` of `params.learning_rate`, `conda` of `environment.conda`. */
export function labelOf(field: string): string {
  if (field.startsWith('params.')) return field.slice('params.'.length);
  const other = /^other_objectives\.(\d+)(\.goal)?/.exec(field);
  if (other) return `${other[2] ? 'goal' : 'metric'} ${Number(other[1]) + 2}`;
  return (field.split('.').pop() ?? field).replaceAll('_', ' ');
}

function words(name: string, message: string): string {
  if (name.endsWith('.[key]')) return NO_NAME;
  return PATTERN.test(message) ? NO_SIGN : message;
}

function sentence(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
}
