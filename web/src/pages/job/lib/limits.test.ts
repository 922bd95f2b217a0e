import { expect, it } from 'vitest';
import { changedLimits } from './limits';

it('sends what was changed, and nothing else', () => {
  const before = { time: '4h', nice: '', priority: '0' };
  expect(changedLimits(before, before)).toBeNull();
  expect(changedLimits(before, { ...before, time: ' ' })).toBeNull();
  expect(changedLimits(before, { ...before, time: ' 8h ' })).toEqual({ time_limit: '8h' });
  expect(changedLimits(before, { ...before, nice: '0' })).toEqual({ nice: 0 });
  expect(changedLimits(before, { ...before, priority: '-10' })).toEqual({ priority: -10 });
  expect(changedLimits(before, { ...before, priority: '' })).toBeNull();
});
