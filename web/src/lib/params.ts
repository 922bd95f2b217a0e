/** Hyperparameters as text. The server reads them: this only shows them, and prefills forms. */

import type { ParamSpace, Task } from '../api/types';
import { architectureText, layersOf } from './architecture';
import { number } from './format';

type Params = Task['params'];

/** One value, as a person would write it. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Numbers that were drawn have many digits: those that matter. Layers in short. */
export function shortValue(value: unknown): string {
  if (value === undefined) return '';
  const layers = layersOf(value);
  if (layers) return architectureText(layers);
  return typeof value === 'number' && !Number.isInteger(value) ? number(value) : valueText(value);
}

/** The short text form of a list, a range or a block of layers, which the server reads back. */
export function spaceText(space: ParamSpace): string {
  const conditions = Object.entries((isObject(space) && (space as { when?: Conditions }).when) || {});
  const when = conditions.map(([name, values]) => `${name}=${values.map(itemText).join(',')}`).join(' and ');
  return baseText(space) + (when && ` if ${when}`);
}

type Conditions = Record<string, unknown[]>;

function isObject(value: unknown): value is object {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function baseText(space: ParamSpace): string {
  if (isObject(space) && 'block' in space) {
    const members = Object.entries(space.block as Record<string, ParamSpace>);
    const block = Object.fromEntries(members.map(([name, member]) => [name, spaceText(member)]));
    return JSON.stringify({ repeat: space.repeat, block, ...(space.skips ? { skips: true } : {}) });
  }
  if (isObject(space) && 'low' in space) {
    const end = (value: number) => (space.type === 'int' ? String(value) : floatText(value));
    const how = space.log ? ':log' : space.step === null || space.step === undefined ? '' : `:${end(space.step)}`;
    return `${end(space.low)}..${end(space.high)}${how}`;
  }
  if (isObject(space) && 'values' in space) return space.values.map(itemText).join(',');
  return valueText(space);
}

function floatText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : String(value);
}

const READS_AS_SOMETHING_ELSE = /^([-+]?(\d|\.\d|inf|nan).*|true|false|none|null|)$/i;

function itemText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? '';
  const plain =
    !READS_AS_SOMETHING_ELSE.test(value) &&
    !/\sif\s/.test(value) &&
    !/[,"'[\]{}]/.test(value) &&
    value === value.trim();
  const quote = value.includes('"') && !value.includes("'") ? "'" : '"';
  return plain ? value : `${quote}${value.replaceAll(quote, quote + quote)}${quote}`;
}

/** The names of all parameters, in the order in which they first appear; those that differ between tasks. */
export function paramNames(tasks: readonly { params: Params }[]): { all: string[]; varying: string[] } {
  const values = new Map<string, Set<string>>();
  for (const { params } of tasks) {
    for (const name of Object.keys(params)) {
      const seen = values.get(name) ?? new Set();
      values.set(name, seen.add(valueText(params[name])));
    }
  }
  const all = [...values.keys()];
  const varying = all.filter(
    (name) => (values.get(name)?.size ?? 0) > 1 || tasks.some((task) => !(name in task.params)),
  );
  return { all, varying };
}

/** `learning_rate 0.3 · batch_size 32` */
export function paramLabel(params: Params, names: readonly string[]): string {
  const known = names.filter((name) => name in params);
  return known.map((name) => `${name} ${valueText(params[name])}`).join(' · ');
}

/** `lr 0.1 → 0.12 · momentum 0.9 → 0.72` */
export function changesText(before: Params, after: Params): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => valueText(before[name]) !== valueText(after[name]));
  return changed.map((name) => `${name} ${shortValue(before[name])} → ${shortValue(after[name])}`).join(' · ');
}
