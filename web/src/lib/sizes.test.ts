import { expect, it } from 'vitest';
import type { JobSpec, TaskDetail } from '../api/types';
import { resizeWords, sizesOf } from './sizes';

const spec = { resources: { gpus: 1, most_gpus: 4 } } as JobSpec;
const task = {
  attempt: 2,
  attempts: [
    { number: 1, size: 1 },
    { number: 2, size: 2 },
  ],
  size_wanted: null,
} as unknown;

it('knows the sizes of a task, where they can change', () => {
  expect(sizesOf(spec, task as TaskDetail)).toEqual({ least: 1, most: 4, now: 2, wanted: null });
  expect(sizesOf(spec)).toEqual({ least: 1, most: 4, now: null, wanted: null });
  expect(sizesOf({ resources: { gpus: 2 } } as JobSpec)).toBe(null);
  expect(sizesOf(undefined)).toBe(null);
});

it('says what a resize does', () => {
  const sizes = { least: 1, most: 4, now: 2, wanted: null };
  expect(resizeWords(sizes, 2)).toEqual(['It has 2 GPUs. The job allows 1 to 4 GPUs.']);
  expect(resizeWords(sizes, 1).join(' ')).toContain('goes on from its checkpoint with 1 GPU,');
  const begun = { ...sizes, wanted: 4 };
  expect(resizeWords(begun, 4)).toEqual(['It has 2 GPUs and is about to have 4. The job allows 1 to 4 GPUs.']);
  expect(resizeWords(begun, 2).join(' ')).toContain('is taken back');
  expect(resizeWords({ ...sizes, now: null }, 3).join(' ')).toContain('with 3 GPUs');
});
