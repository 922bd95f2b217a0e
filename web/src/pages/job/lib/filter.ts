/** Which configurations a person wants to see: `adam lr<0.01 best<=0.2`. */

import type { Task } from '../../../api/types';
import { valueText } from '../../../lib/params';

type Test = (task: Task) => boolean;

const COMPARISON = /^([A-Za-z_#][\w.-]*)(<=|>=|!=|=|<|>)(.+)$/;

const FIELDS: Record<string, (task: Task) => unknown> = {
  '#': (task) => task.number,
  number: (task) => task.number,
  trial: (task) => task.trial,
  state: (task) => task.state,
  best: (task) => task.best_value,
  epoch: (task) => task.epoch,
  at: (task) => task.best_epoch,
  last: (task) => task.last_value,
  node: (task) => task.node,
  cause: (task) => task.cause,
};

/** All words must be true of a task; a word is a comparison, or a part of anything that the row shows. */
export function taskFilter(text: string, states: readonly string[] = []): Test {
  const tests = text.split(/\s+/).filter(Boolean).map(word);
  const known = new Set(states);
  if (known.size) tests.push((task) => known.has(task.state));
  return (task) => tests.every((test) => test(task));
}

function word(text: string): Test {
  const comparison = COMPARISON.exec(text);
  if (!comparison) return contains(text.toLowerCase());
  const [, name = '', sign = '', wanted = ''] = comparison;
  return (task) => {
    const value = name in task.params ? task.params[name] : FIELDS[name]?.(task);
    return value === null || value === undefined ? false : compares(value, sign, wanted);
  };
}

function compares(value: unknown, sign: string, wanted: string): boolean {
  const [a, b] = [typeof value === 'number' ? value : Number.NaN, Number(wanted)];
  const order =
    Number.isNaN(a) || Number.isNaN(b)
      ? valueText(value).toLowerCase().localeCompare(wanted.toLowerCase(), 'en')
      : a - b;
  switch (sign) {
    case '=':
      return order === 0;
    case '!=':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    default:
      return order >= 0;
  }
}

function contains(part: string): Test {
  return ({ number, state, reason, node, params }) =>
    String(number) === part ||
    `${state}\n${reason ?? ''}\n${node ?? ''}`.toLowerCase().includes(part) ||
    Object.entries(params).some(([name, value]) => `${name} ${valueText(value)}`.toLowerCase().includes(part));
}
