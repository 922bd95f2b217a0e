import { expect, it } from 'vitest';
import { changeText, gpuHours, stepAt, stepLine, stepsOf } from './gpuSteps';

const at = (minute: number) => new Date(minute * 60_000).toISOString();
const steps = stepsOf([
  { at: at(0), gpus: 1, why: 'k3v-1 began' },
  { at: at(30), gpus: 2, why: 'k3v-1 resized' },
  { at: at(60), gpus: 0, why: 'k3v-1 ended' },
]);
const until = 120 * 60_000;

it('draws steps', () => {
  expect(stepLine(steps, until, 2)).toBe('M0 100H0V50H25V0H50V100H100');
  expect(stepLine([], until, 2)).toBe('');
  expect(steps.map(({ before }) => before)).toEqual([0, 1, 2]);
});

it('finds the change that is meant', () => {
  expect(stepAt(steps, until, 30)?.why).toBe('k3v-1 resized');
  expect(stepAt(steps, until, 99)?.why).toBe('k3v-1 ended');
  expect(stepAt([], until, 5)).toBe(undefined);
});

it('counts GPU-hours', () => {
  expect(gpuHours(steps, until)).toBeCloseTo(1.5);
  expect(gpuHours(steps.slice(0, 1), until)).toBeCloseTo(2);
});

it('says what changed', () => {
  expect(changeText(4, 1)).toBe('4 → 1 GPU');
  expect(changeText(1, 4)).toBe('1 → 4 GPUs');
});
