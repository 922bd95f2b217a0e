import { expect, it } from 'vitest';
import type { JobSpec, TaskDetail } from '../api/types';
import { actionOf, chosenSize, resizeWords, sizesOf } from './sizes';

const spec = { resources: { gpus: 1, most_gpus: 4 } } as JobSpec;
const task = {
  attempt: 2,
  attempts: [
    { number: 1, size: 1 },
    { number: 2, size: 2 },
  ],
} as unknown as TaskDetail;
const sizes = { least: 1, most: 4, now: 2, wanted: null, by: null, kept: false };

it('knows the sizes of a task, where they can change', () => {
  expect(sizesOf(spec, task)).toEqual(sizes);
  expect(sizesOf(spec)).toEqual({ ...sizes, now: null });
  expect(sizesOf({ resources: { gpus: 2 } } as JobSpec)).toBe(null);
  expect(sizesOf(undefined)).toBe(null);
});

it('knows what was chosen', () => {
  expect(chosenSize(sizes)).toBe('auto');
  expect(chosenSize({ ...sizes, by: 'ann' })).toBe(2);
  expect(chosenSize({ ...sizes, by: 'ann', wanted: 4 })).toBe(4);
});

it('says what a choice does', () => {
  expect(resizeWords(sizes, 'auto').join(' ')).toContain('Paddock chooses');
  expect(resizeWords(sizes, 2)[0]).toBe('It has 2 GPUs. The job allows 1 to 4 GPUs.');
  expect(resizeWords(sizes, 1).join(' ')).toContain('goes on from its checkpoint with 1 GPU,');
  const begun = { ...sizes, wanted: 4, by: 'ann' };
  expect(resizeWords(begun, 4)[0]).toContain('It has 2 GPUs and is about to have 4, as ann chose.');
  expect(resizeWords(begun, 2).join(' ')).toContain('is taken back');
  expect(resizeWords({ ...sizes, kept: true }, 'auto').join(' ')).toContain('Only people change it');
  expect(sizesOf({ ...spec, elastic: { keep_size: true } } as JobSpec)?.kept).toBe(true);
  expect(resizeWords({ ...sizes, now: null }, 3).join(' ')).toContain('with 3 GPUs');
});

it('says what its button does', () => {
  expect(actionOf(sizes, 'auto')).toBe('Let Paddock choose');
  expect(actionOf(sizes, 2)).toBe('Stay with 2 GPUs');
  expect(actionOf(sizes, 1)).toBe('Go on with 1 GPU');
});
