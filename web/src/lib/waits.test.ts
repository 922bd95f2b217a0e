import { expect, it } from 'vitest';
import { startWords, waitSentence, waitText } from './waits';

it('says why, as a sentence', () => {
  expect(waitText({ reason: 'waits for a free GPU in partition volta: 3 jobs ahead' })).toBe(
    'Waits for a free GPU in partition volta: 3 jobs ahead',
  );
  expect(waitText({ reason: 'waits' })).toBe('Waits');
});

it('says in one sentence why something waits, and about when it starts', () => {
  const now = Date.parse('2026-11-17T10:00:00Z');
  const waits = { reason: 'waits for a GPU', starts_at: '2026-11-17T12:30:00Z' };
  expect(waitSentence(waits, now)).toMatch(/^Waits for a GPU; expected to start at \d+:30/);
  expect(waitSentence({ ...waits, never: true }, now)).toBe('Waits for a GPU');
  expect(waitSentence({ reason: 'held' }, now)).toBe('Held');
  expect(startWords('2026-11-17T09:59:00Z', now)).toBe('any moment');
});
