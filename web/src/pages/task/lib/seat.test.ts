import { expect, it } from 'vitest';
import { coresText, gpusText, roomText, sharingText } from './seat';

it('names GPUs and cores', () => {
  expect(gpusText({ gpus: ['0'], gpu_name: 'NVIDIA H200' })).toBe('GPU 0, NVIDIA H200');
  expect(gpusText({ gpus: ['0', '3'] })).toBe('GPUs 0, 3');
  expect(gpusText({ gpus: ['1'], gpu_name: 'GPU' })).toBe('GPU 1');
  expect(gpusText({})).toBeNull();
  expect(coresText([8, 0, 1, 2, 3, 10, 11])).toBe('0–3, 8, 10–11');
  expect(coresText([])).toBe('');
});

it('says how a GPU is shared', () => {
  expect(sharingText({ sharing: 'mps' })).toBe('shares the GPU through NVIDIA MPS');
  expect(sharingText({ sharing: 'turns', why: 'MPS did not start' })).toBe(
    'shares the GPU by taking turns: MPS did not start',
  );
  expect(sharingText({ sharing: 'turns' })).toBe('shares the GPU by taking turns');
  expect(sharingText({})).toBeNull();
});

it('says what an attempt waits for', () => {
  expect(roomText({ gpu: 12 * 2 ** 30 })).toBe('12 GiB free on the GPU');
  expect(roomText({ host: 2 ** 30, alone: true })).toBe('1 GiB free on the node and no other task beside it');
  expect(roomText({ alone: false })).toBeNull();
  expect(roomText(null)).toBeNull();
});
