/** What an old job has that the form does not show: it is taken along, and said. */

import type { JobSpec } from '../../../api/types';
import { NOTICE_KINDS } from '../../../lib/notices';

/** What the form shows of a job. A field that comes to be is taken along until the form shows it, too. */
const SHOWN = [
  'name',
  'description',
  'tags',
  'script',
  'module',
  'command',
  'workdir',
  'reduce',
  'convention',
  'params',
  'objective',
  'other_objectives',
  'search',
  'stop_early',
  'yields',
  'parallel',
  'visibility',
  'resources',
  'environment',
  'metrics',
  'retries',
  'grace_seconds',
  'priority',
  'elastic',
] as const satisfies readonly (keyof JobSpec)[];

export type Also = Omit<JobSpec, (typeof SHOWN)[number]>;

export function alsoOf(spec: JobSpec): Also {
  const shown = new Set<string>(SHOWN);
  return Object.fromEntries(Object.entries(spec).filter(([name, value]) => !shown.has(name) && isGiven(value)));
}

/** Whether it is anything else than what there is without. An empty list says something: none of them. */
function isGiven(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return !!value;
  return Array.isArray(value) || Object.values(value).some((one) => one !== null && one !== undefined);
}

/** Each of it in words, by the name of the field. */
export function alsoWords(also: Also): [name: keyof Also, words: string][] {
  return (Object.keys(also) as (keyof Also)[]).map((name) => [name, wordsOf(also, name)]);
}

function wordsOf({ notify, ...rest }: Also, name: keyof Also): string {
  switch (name) {
    case 'terminal':
      return 'a terminal for each task';
    case 'notify': {
      const told = NOTICE_KINDS.filter(({ kind }) => notify?.includes(kind)).map(({ label }) => label.toLowerCase());
      return told.length ? `messages: ${told.join('; ')}` : 'no messages outside the page';
    }
    default:
      return `${name}: ${JSON.stringify((rest as Record<string, unknown>)[name])}`;
  }
}
