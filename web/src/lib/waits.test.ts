import { expect, it } from 'vitest';
import { waitText } from './waits';

it('says why, as a sentence', () => {
  expect(waitText({ reason: 'waits for a free GPU in partition volta: 3 jobs ahead' })).toBe(
    'Waits for a free GPU in partition volta: 3 jobs ahead',
  );
  expect(waitText({ reason: 'waits' })).toBe('Waits');
});
