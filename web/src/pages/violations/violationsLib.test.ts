import { expect, test } from 'vitest';
import type { Violation } from '../../api/types';
import { actText, outcomeText, trailOf, violationOf, whoText, whyText } from './violationsLib';

const step = (act: 'terminal' | 'hook', ok = true, detail = '') => ({ at: '2031-01-01T00:00:00Z', act, ok, detail });

test('what is repeated is shown once, with its number', () => {
  const trail = trailOf([step('terminal'), step('hook', false, 'no'), step('terminal'), step('terminal', false)]);
  expect(trail.map(({ act, ok, times }) => [act, ok, times])).toEqual([
    ['terminal', true, 2],
    ['hook', false, 1],
    ['terminal', false, 1],
  ]);
});

test('who, why and how it ended, in words', () => {
  expect(whoText({ account: 'bob', unix_name: 'b42' })).toBe('bob (b42)');
  expect(whoText({ account: null, unix_name: 'b42' })).toBe('b42');
  expect(whoText({ account: null, unix_name: null })).toBe('owner not known');
  expect(whyText({ kind: 'reserved', owner: 'alice' })).toBe('reserved by alice');
  expect(whyText({ kind: 'reserved', owner: null })).toBe('maintenance');
  expect(whyText({ kind: 'rule', owner: null })).toContain('rule');
  expect(outcomeText({ outcome: null })).toBe('Goes on');
  expect(outcomeText({ outcome: 'ended' })).toBe('It was ended');
  expect(actText('term')).toBe('SIGTERM');
});

test('a process is known by its node and its number', () => {
  const open = [{ id: 1, host: 'gpu1', pid: 7 } as Violation];
  expect(violationOf(open, { node: 'gpu1', pid: 7 })?.id).toBe(1);
  expect(violationOf(open, { node: 'gpu2', pid: 7 })).toBeUndefined();
});
