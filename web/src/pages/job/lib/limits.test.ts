import { expect, it } from 'vitest';
import { changedLimits } from './limits';

it('sends what was changed, and nothing else', () => {
  const before = { time: '4h', nice: '' };
  expect(changedLimits(before, before)).toBeNull();
  expect(changedLimits(before, { time: ' ', nice: '' })).toBeNull();
  expect(changedLimits(before, { time: ' 8h ', nice: '' })).toEqual({ time_limit: '8h' });
  expect(changedLimits(before, { time: '4h', nice: '0' })).toEqual({ nice: 0 });
});
