/** What a job runs as, in names and values: where its code comes from, environment, resources, command. */

import type { CodeInfo, JobSpec } from '../../../api/types';
import { NOTHING } from '../../../lib/format';

export interface Fact {
  name: string;
  value: string;
}

export function factsOf(spec: JobSpec, code: CodeInfo | undefined): Fact[] {
  const { environment = {}, resources = {} } = spec;
  const python = environment.python ?? environment.venv ?? environment.conda;
  const kind = environment.python ? 'Python' : environment.venv ? 'Virtual environment' : 'Conda environment';
  const commit =
    code?.git_commit && `${code.git_commit}${code.git_dirty ? ', with changes that are not committed' : ''}`;
  const found: [string, string | null | undefined][] = [
    ['Git commit', commit],
    ['Submitted from', code?.source],
    ['Script', spec.script],
    ['Command', spec.command],
    ['Reduce', spec.reduce],
    [kind, python],
    ['Set-up', environment.setup?.join('\n')],
    ['Variables', Object.keys(environment.variables ?? {}).join(', ')],
    ['Resources', resourceText(resources)],
  ];
  return found.flatMap(([name, value]) => (value ? [{ name, value }] : []));
}

/** `gpus 2, time limit 3600, slurm: partition gpu`: what was asked for, without what was left to the settings. */
export function resourceText(resources: object): string {
  return Object.entries(resources)
    .filter(([, value]) => isGiven(value))
    .map(([name, value]) => {
      const label = name.replaceAll('_', ' ');
      const inner = typeof value === 'object' && !Array.isArray(value) ? resourceText(value) : '';
      return inner ? `${label}: ${inner}` : `${label} ${valueText(value)}`;
    })
    .join(', ');
}

function isGiven(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === 'object' ? Object.values(value).some(isGiven) : true;
}

export function valueText(value: unknown): string {
  if (value === null || value === undefined) return NOTHING;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export type DiffLine = { kind: 'add' | 'remove' | 'place' | 'same'; text: string };

/** The lines of a unified diff, without the names of the files. */
export function diffLines(diff: string): DiffLine[] {
  const lines = diff.replace(/\n$/, '').split('\n');
  return lines.slice(2).map((text) => ({ kind: kinds[text[0] ?? ''] ?? 'same', text }));
}

const kinds: Record<string, DiffLine['kind']> = { '+': 'add', '-': 'remove', '@': 'place' };
