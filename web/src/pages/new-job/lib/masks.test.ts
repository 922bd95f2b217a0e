import { expect, it } from 'vitest';
import { maskedIn } from './masks';

it('knows the jobs whose values are meant', () => {
  expect(maskedIn('')).toEqual([]);
  expect(maskedIn('A=1\nB=… and more')).toEqual([]);
  expect(maskedIn('A=… as in job k3v9x2ab\nB=2\nC=… as in job k3v9x2ab')).toEqual(['k3v9x2ab']);
  expect(maskedIn('A=… as in job one\nB=… as in job two')).toEqual(['one', 'two']);
});
