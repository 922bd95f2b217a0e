/** The hyperparameters of the form: those of the script, those of the command, those added by hand. */

import type { ScriptParam, ScriptReport } from '../../../api/types';
import type { Draft } from './draft';

export interface Row {
  name: string;
  /** What was found by reading the script; missing for a parameter of a command, or one added by hand. */
  param: ScriptParam | null;
  removable: boolean;
}

const FIRST = [
  /^(batch_?size|bs|batch)$/,
  /^(learning_?rate|lr|alpha)$/,
  /^((n|num|nb|max|total)_)?epochs?$/,
  /early_?stop|patience/,
];

function rank(name: string): number {
  const found = FIRST.findIndex((pattern) => pattern.test(name.toLowerCase().replaceAll('-', '_')));
  return found < 0 ? FIRST.length : found;
}

/** Batch size, learning rate, epochs and early stopping first; the others as the script has them. */
export function inOrder<T extends { name: string }>(params: readonly T[]): T[] {
  return [...params].sort((a, b) => rank(a.name) - rank(b.name));
}

/** Above this many there is a field to find one, and groups are folded. */
export const MANY = 20;
/** So many are shown at a time: a field each takes its time. */
export const SHOWN = 40;

export interface RowGroup {
  /** As the script heads it; empty for parameters without a heading. */
  title: string;
  rows: Row[];
}

/** The rows under the headings of the script, in its order; those without a heading first. */
export function groupsOf(rows: readonly Row[]): RowGroup[] {
  const groups = new Map<string, Row[]>([['', []]]);
  for (const row of rows) {
    const title = row.param?.group ?? '';
    const known = groups.get(title);
    if (known) known.push(row);
    else groups.set(title, [row]);
  }
  return Array.from(groups, ([title, of]) => ({ title, rows: of })).filter((group) => group.rows.length > 0);
}

/** Those whose name, option, heading or help contains all words. */
export function matching(rows: readonly Row[], wanted: string): Row[] {
  const plain = (text: string) => text.toLowerCase().replaceAll('-', '_');
  const words = plain(wanted).split(/\s+/).filter(Boolean);
  return rows.filter(({ name, param }) => {
    const text = plain([name, param?.flag, param?.group, param?.help].filter(Boolean).join(' '));
    return words.every((word) => text.includes(word));
  });
}

export function rowsOf(draft: Draft, report: ScriptReport | null): Row[] {
  const known = draft.mode === 'script' ? inOrder(report?.params ?? []) : [];
  const rows: Row[] = known.map((param) => ({ name: param.name, param, removable: false }));
  const names = new Set(rows.map(({ name }) => name));
  const more = (name: string, removable: boolean) => {
    if (names.has(name)) return;
    names.add(name);
    rows.push({ name, param: null, removable });
  };
  if (draft.mode === 'command') for (const name of fieldsOf(draft.command)) more(name, false);
  const others = Object.keys(draft.params).filter((name) => draft.params[name]?.trim() && !draft.added.includes(name));
  for (const name of [...others, ...draft.added]) more(name, true);
  return rows;
}

// {job}, {task} and {code} are the server's own.
const OWN = new Set(['job', 'task', 'code']);

/** The {name} fields of a command. Only to offer them: the server decides what the command means. */
export function fieldsOf(command: string): string[] {
  const found = command.replaceAll(/\{\{|\}\}/g, '  ').matchAll(/(?<!\$)\{([A-Za-z_][A-Za-z0-9_.-]*)\}/g);
  return [...new Set(Array.from(found, ([, name = '']) => name))].filter((name) => !OWN.has(name));
}

/** Texts under the names that the script has: `batch-size` and `batch_size` are one. */
export function renamed(texts: Record<string, string>, report: ScriptReport): Record<string, string> {
  const same = (name: string) => name.replace(/^-+/, '').replaceAll('-', '_');
  const names = new Map<string, string>();
  for (const param of report.params ?? []) if (param.flag) names.set(same(param.flag), param.name);
  for (const param of report.params ?? []) names.set(same(param.name), param.name);
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [names.get(same(name)) ?? name, text]));
}

/** A choice put into the list that is written, or taken out of it. */
export function toggled(text: string, choice: string): string {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  return (parts.includes(choice) ? parts.filter((part) => part !== choice) : [...parts, choice]).join(',');
}

export function isChosen(text: string, choice: string): boolean {
  return text.split(',').some((part) => part.trim() === choice);
}
