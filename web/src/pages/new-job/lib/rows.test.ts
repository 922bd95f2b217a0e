import { expect, it } from 'vitest';
import type { ScriptReport } from '../../../api/types';
import { EMPTY } from './draft';
import { fieldsOf, groupsOf, inOrder, isChosen, matching, type Row, renamed, rowsOf, toggled } from './rows';

const named = (...names: string[]) => names.map((name) => ({ name }));
const report = { convention: 'flags', params: named('hidden', 'lr') } as unknown as ScriptReport;

it('puts what people change first', () => {
  const names = inOrder(named('seed', 'patience', 'num_epochs', 'lr', 'hidden', 'batch-size')).map(({ name }) => name);
  expect(names).toEqual(['batch-size', 'lr', 'num_epochs', 'patience', 'seed', 'hidden']);
});

it('lists the script’s parameters, then those that it does not have', () => {
  const draft = { ...EMPTY, params: { lr: '0.1', old: '3', emptied: '' }, added: ['mine'] };
  expect(rowsOf(draft, report).map(({ name, removable }) => [name, removable])).toEqual([
    ['lr', false],
    ['hidden', false],
    ['old', true],
    ['mine', true],
  ]);
});

it('offers the fields of a command', () => {
  expect(fieldsOf(`run {lr} $\{HOME} {{no}} {a.b} {lr} {task} {1}`)).toEqual(['lr', 'a.b']);
  const draft = { ...EMPTY, mode: 'command' as const, command: 'run {x}' };
  expect(rowsOf(draft, report).map(({ name }) => name)).toEqual(['x']);
});

it('finds the script’s name of a parameter', () => {
  const flags = { params: [{ name: 'learning_rate', flag: '--lr' }, { name: 'batch_size' }] } as ScriptReport;
  expect(renamed({ lr: '1', 'batch-size': '2', other: '3' }, flags)).toEqual({
    learning_rate: '1',
    batch_size: '2',
    other: '3',
  });
});

it('puts a choice in and takes it out', () => {
  expect(toggled('', 'sgd')).toBe('sgd');
  expect(toggled('sgd', 'adam')).toBe('sgd,adam');
  expect(toggled('sgd, adam', 'sgd')).toBe('adam');
  expect(isChosen('sgd, adam', 'adam')).toBe(true);
  expect(isChosen('adamw', 'adam')).toBe(false);
});

it('has the headings of the script, and finds a parameter by name, option, heading or help', () => {
  const rows = [
    { name: 'lr', param: { name: 'lr', flag: '--lr', group: 'Optimizer', help: 'the step size' }, removable: false },
    { name: 'width', param: { name: 'width', flag: '--model-width', group: null }, removable: false },
    { name: 'beta', param: { name: 'beta', group: 'Optimizer' }, removable: false },
    { name: 'mine', param: null, removable: true },
  ] as Row[];
  const shown = groupsOf(rows).map(({ title, rows }) => [title, ...rows.map(({ name }) => name)]);
  expect(shown).toEqual([
    ['', 'width', 'mine'],
    ['Optimizer', 'lr', 'beta'],
  ]);
  const found = (wanted: string) => matching(rows, wanted).map(({ name }) => name);
  expect(found('optim')).toEqual(['lr', 'beta']);
  expect(found('optim STEP')).toEqual(['lr']);
  expect(found('model-wi')).toEqual(['width']);
  expect(found(' ')).toHaveLength(4);
  expect(found('none')).toEqual([]);
});
