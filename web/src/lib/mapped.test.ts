import { expect, it } from 'vitest';
import type { Task } from '../api/types';
import { fileParams, withFiles } from './mapped';
import { isJudged, stepName } from './objective';

it('names the first file of a part, and how many more there are', () => {
  expect(fileParams({ part: 1, files: 1, input: 'in/a', output: 'out/a' })).toEqual({ input: 'in/a', output: 'out/a' });
  expect(fileParams({ part: 1, files: 1201, input: 'in/a' })).toEqual({ input: 'in/a (+1,200)' });
});

it('puts files in place of the part, and keeps what it has made', () => {
  const parts = [1, 2].map((part) => ({ part, files: 1, input: `in/${part}`, output: null }));
  const task = { id: 'k-2', params: { part: 2 } } as unknown as Task;
  expect(withFiles(task, parts).params).toEqual({ input: 'in/2' });
  expect(withFiles(task, parts)).toBe(withFiles(task, parts));
  const reduce = { id: 'k-3', params: {} } as unknown as Task;
  expect(withFiles(reduce, parts)).toBe(reduce);
});

it('speaks of epochs only where something is trained', () => {
  const objective = (metric: string) => ({ metric, goal: 'min' as const });
  expect([isJudged({ objective: objective('loss') }), isJudged({ objective: objective('') })]).toEqual([true, false]);
  expect(stepName(undefined)).toBe('epoch');
  expect(stepName({ objective: objective('loss') })).toBe('epoch');
  expect(stepName({ objective: objective('') })).toBe('step');
  expect(stepName({ objective: objective(''), mapped: true })).toBe('file');
  const auto = { by: 'auto' as const, why: '', final: false };
  expect(stepName({ objective: objective(''), objective_choice: auto })).toBe('epoch');
});
