import { expect, it } from 'vitest';
import { columnOf, outlinesOf } from './outlines';

const COLUMNS = {
  number: [1, 2, 3],
  trial: [1, 1, 2],
  state: ['finished'],
  attempt: [1],
  reduces: [false],
  best: [0.5, null, 0.25],
  at: [3],
  epoch: [9],
  'param.lr': [0.1, 0.2, 0.3],
  'param.batch': [32],
  'param.depth': [null, 4, null],
};

it('makes an object of each task', () => {
  const [first, second, third] = outlinesOf({ job: 'abc', total: 3, columns: COLUMNS });
  expect(first).toMatchObject({ id: 'abc-1', number: 1, state: 'finished', best_value: 0.5, best_epoch: 3, trial: 1 });
  expect(second?.params).toEqual({ lr: 0.2, batch: 32, depth: 4 });
  expect(third?.params).toEqual({ lr: 0.3, batch: 32 });
});

it('takes one value for all, and nothing for a job without tasks', () => {
  expect(columnOf({ job: 'abc', total: 3, columns: { state: ['error'] } }, 'state')).toEqual([
    'error',
    'error',
    'error',
  ]);
  expect(outlinesOf({ job: 'abc', total: 0, columns: { number: [] } })).toEqual([]);
});
