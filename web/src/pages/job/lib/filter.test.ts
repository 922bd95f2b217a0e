import { expect, it } from 'vitest';
import { taskFilter } from './filter';
import { task } from './tasks.fixture';

const tasks = [
  task(1, { lr: 0.1, opt: 'adam' }, { best_value: 0.5, state: 'error', reason: 'CUDA out of memory' }),
  task(2, { lr: 0.01, opt: 'sgd' }, { best_value: 0.2 }),
  task(3, { lr: 1e-3, opt: 'adam' }, { best_value: null }),
];
const found = (text: string, states: string[] = []) =>
  tasks.filter(taskFilter(text, states)).map(({ number }) => number);

it('finds words in values, reasons and states', () => {
  expect(found('')).toEqual([1, 2, 3]);
  expect(found('ADAM')).toEqual([1, 3]);
  expect(found('cuda memory')).toEqual([1]);
  expect(found('2')).toEqual([2]);
  expect(found('<script>')).toEqual([]);
});

it('compares numbers and texts', () => {
  expect(found('lr<0.05')).toEqual([2, 3]);
  expect(found('lr>=0.1')).toEqual([1]);
  expect(found('opt=adam lr<=1e-3')).toEqual([3]);
  expect(found('opt!=adam')).toEqual([2]);
  expect(found('best<0.3')).toEqual([2]); // a task without a value is never better
  expect(found('nothing=1')).toEqual([]);
});

it('keeps to the states that are chosen', () => {
  expect(found('', ['error'])).toEqual([1]);
  expect(found('adam', ['finished', 'error'])).toEqual([1, 3]);
});
