/** Configurations as rows of a file. */

import type { Outline } from '../../../api/types';
import type { Cell } from '../../../lib/download';
import { valueText } from '../../../lib/params';

export function taskRows(tasks: readonly Outline[], names: readonly string[], metric: string): Cell[][] {
  const rows = tasks.map(({ id, number, state, params, best_value, best_epoch }) => [
    id,
    number,
    state,
    ...names.map((name) => (name in params ? valueText(params[name]) : null)),
    best_value,
    best_epoch,
  ]);
  return [['task', 'number', 'state', ...names, `best ${metric}`, 'at epoch'], ...rows];
}

/** Those that have the same value in all tasks, as a configuration. */
export function fixedParams(tasks: readonly Outline[], varying: readonly string[]): Outline['params'] {
  const first = tasks[0]?.params ?? {};
  return Object.fromEntries(Object.entries(first).filter(([name]) => !varying.includes(name)));
}
