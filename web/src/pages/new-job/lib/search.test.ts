import { expect, it } from 'vitest';
import type { JobSpec } from '../../../api/types';
import { adaptiveText, knobsOf, NO_SEARCH, searchOf, searchTextsOf } from './search';

it('sends nothing that was not given', () => {
  expect(searchOf(NO_SEARCH)).toEqual({ search: { method: 'auto' } });
});

it('sends only what applies', () => {
  const texts = { ...NO_SEARCH, interval: '5', eta: '4', minTrials: '9', minSteps: '2' };
  expect(searchOf(texts)).toEqual({ search: { method: 'auto' } });
  expect(searchOf({ ...texts, method: 'pbt' }).search).toEqual({ method: 'pbt', interval: 5 });
  expect(searchOf({ ...texts, stopMethod: 'asha' }).stop_early).toEqual({ method: 'asha', eta: 4, min_steps: 2 });
  expect(searchOf({ ...texts, stopMethod: 'median' }).stop_early).toEqual({
    method: 'median',
    min_trials: 9,
    min_steps: 2,
  });
  expect(knobsOf('none')).toEqual([]);
  expect(searchOf({ ...texts, others: [{ metric: ' ', goal: 'min' }] })).not.toHaveProperty('other_objectives');
});

it('takes a search over and back', () => {
  const spec = {
    other_objectives: [{ metric: 'seconds', goal: 'min' }],
    search: { method: 'nsga2', trials: 40, time_budget: '2h', seed: 3, repeat: 2, warm_start: ['abc'] },
    stop_early: { method: 'hyperband', max_steps: 81, eta: 4 },
  } as unknown as JobSpec;
  expect(searchOf(searchTextsOf(spec))).toEqual(spec);
  const full = { search: { repeat: 1, time_budget: 7200 }, stop_early: { eta: 3, min_trials: 5 } } as JobSpec;
  expect(searchTextsOf(full)).toEqual({ ...NO_SEARCH, timeBudget: '2h' });
});

it('says how many configurations are chosen', () => {
  expect(adaptiveText({ count: 40, spec: {} })).toBe('40 configurations, chosen as results come in; the first ones:');
  expect(adaptiveText({ count: 40, spec: { search: { repeat: 4 } } })).toContain('10 configurations, 4 tasks each,');
  expect(adaptiveText({ count: null, spec: {} })).toContain('As many configurations as there is time for');
});
