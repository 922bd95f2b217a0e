import type { Task } from '../../../api/types';

/** A task for tests. */
export function task(number: number, params: Task['params'], more: Partial<Task> = {}): Task {
  return {
    id: `abcdefgh-${number}`,
    job: 'abcdefgh',
    number,
    owner: 'ada',
    params,
    state: 'finished',
    stopping: false,
    attempt: 1,
    trial: number,
    created_at: '2026-01-01T00:00:00Z',
    ...more,
  };
}
