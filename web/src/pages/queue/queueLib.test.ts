import { expect, it } from 'vitest';
import type { QueuedJob } from '../../api/types';
import { tasksText, waitingByBackend } from './queueLib';

const job = (id: string, backend: string, waiting: number) => ({ id, backend, waiting, running: 1 }) as QueuedJob;

it('has a line for each backend, in the order of the server, of the jobs that wait', () => {
  const found = waitingByBackend([job('b', 'local', 2), job('a', 'slurm', 1), job('c', 'local', 1), job('d', 'x', 0)]);
  expect(found.map((line) => [line.backend, line.jobs.map(({ id }) => id)])).toEqual([
    ['local', ['b', 'c']],
    ['slurm', ['a']],
  ]);
});

it('says how many tasks run and wait', () => {
  expect(tasksText({ running: 1, waiting: 1400 })).toBe('1 runs, 1,400 wait');
  expect(tasksText({ running: 0, waiting: 1 })).toBe('1 waits');
  expect(tasksText({ running: 2, waiting: 0 })).toBe('2 run');
});
