import { expect, it } from 'vitest';
import type { Packing } from '../../../api/types';
import { packingTitle, packingWords } from './packing';

const packing = (more: Partial<Packing> = {}): Packing => ({
  gpu: 'NVIDIA H200',
  tasks: 24,
  auto: true,
  at: '2026-01-05T13:05:00Z',
  ...more,
});

it('says how many share a GPU, and why not more', () => {
  const whole = packing({
    limit: 'cores',
    need: 1.25 * 2 ** 30,
    total: 140 * 2 ** 30,
    load: 0.934,
    speedup: 11.2,
    known: true,
  });
  expect(packingTitle(whole)).toBe('24 tasks share each NVIDIA H200');
  expect(packingWords(whole)).toEqual([
    'chosen automatically: limited by the CPU cores',
    '11× as fast as one at a time',
    'each needs 1.3 GiB of 140 GiB',
    'the GPU is busy 93 % of the time',
    'began with what an earlier job had learned',
  ]);
});

it('has words for every reason', () => {
  const why = (more: Partial<Packing>, ended = false) => packingWords(packing(more), ended)[0];
  expect(why({})).toBe('chosen automatically, still growing');
  expect(why({ auto: false })).toBe('still growing');
  expect(why({ auto: false, limit: 'asked' })).toBe('as asked for');
  expect(why({ auto: false, limit: 'memory' })).toBe('fewer than asked for: limited by the GPU’s memory');
  expect(why({ auto: false, limit: 'memory', target: 24 }), 'they were held back at first').toBe('as asked for');
  expect(why({ auto: false, limit: 'tasks' })).toBe('there are no more tasks');
  expect(why({ limit: 'gain' })).toBe('chosen automatically: more do not help');
  expect(why({}, true)).toBe('chosen automatically');
});

it('speaks of one task, of the past, and of what is not known', () => {
  expect(packingTitle(packing({ tasks: 1 }))).toBe('Each NVIDIA H200 has one task at a time');
  expect(packingTitle(packing(), true)).toBe('24 tasks shared each NVIDIA H200');
  expect(packingWords(packing({ limit: 'gain', speedup: 1.02, need: 2 ** 30 }))).toEqual([
    'chosen automatically: more do not help',
    'as fast as one at a time',
    'each needs 1 GiB',
  ]);
  expect(packingWords(packing({ limit: 'gain', need: 0 }))).toEqual(['chosen automatically: more do not help']);
  expect(packingWords(packing({ limit: 'gain', speedup: 3.26 }))[1]).toBe('3.3× as fast as one at a time');
});

it('says what limits tasks that leave their GPU idle', () => {
  const said = (more: Partial<Packing>) =>
    packingWords(packing({ limit: 'tasks', load: 0.4, ...more })).find((one) => one.includes('busy'));
  expect(said({ processor: 0.97, startup: 0.45 })).toBe(
    'the GPU is busy 40 % of the time, limited by the processor and the start of the scripts',
  );
  expect(said({ processor: 0.97, limit: 'memory' })).toBe('the GPU is busy 40 % of the time');
  expect(said({})).toBe('the GPU is busy 40 % of the time');
});
