import { expect, it } from 'vitest';
import type { JobSpec } from '../../../api/types';
import { extension, searchedParams, trialText } from './extend';
import { task } from './tasks.fixture';

const before = { trials: '', time: '', params: { lr: '0.1..1.0' } };

it('offers what is searched', () => {
  const params = {
    lr: { low: 0.1, high: 1, type: 'float' },
    opt: { values: ['sgd', 'adam'] },
    epochs: { values: [5] },
  } as unknown as JobSpec['params'];
  expect(searchedParams({ params })).toEqual({ lr: '0.1..1.0', opt: 'sgd,adam' });
});

it('sends what was changed', () => {
  expect(extension(before, before)).toBeNull();
  expect(extension(before, { ...before, trials: '20' })).toEqual({ trials: 20 });
  expect(extension(before, { trials: '', time: ' 2h', params: { lr: '0.1..0.5' } })).toEqual({
    time_budget: '2h',
    params: { lr: '0.1..0.5' },
  });
});

it('says how far the search is', () => {
  const tasks = [task(1, {}), task(2, {}), task(3, {}, { trial: 2 })];
  expect(trialText(tasks, 98, 1)).toBe('trial 2 of 100');
  expect(trialText(tasks, 5, 2)).toBe('trial 2 of 5');
  expect(trialText(tasks, null, 1)).toBe('trial 2');
  expect(trialText([], null, 1)).toBe('no trial yet');
});
