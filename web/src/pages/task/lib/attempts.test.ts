import { describe, expect, it } from 'vitest';
import type { Attempt, TaskDetail } from '../../../api/types';
import { attemptRows, endingOf, exitWords, peakMemory, shownAttempt } from './attempts';

function attempt(number: number, more: Partial<Attempt> = {}): Attempt {
  return {
    task: 'abc-1',
    number,
    state: 'error',
    resumed: false,
    created_at: '2026-01-01T10:00:00Z',
    started_at: '2026-01-01T10:00:05Z',
    ended_at: '2026-01-01T10:01:05Z',
    warnings: [],
    ...more,
  };
}

function task(attempts: Attempt[], more: Partial<TaskDetail> = {}): TaskDetail {
  return {
    id: 'abc-1',
    job: 'abc',
    number: 1,
    owner: 'me',
    params: {},
    state: 'running',
    stopping: false,
    attempt: attempts.length,
    trial: 1,
    created_at: '2026-01-01T10:00:00Z',
    warnings: [],
    command: [],
    attempts,
    metrics: [],
    log_bytes: 0,
    folder: '/f',
    ...more,
  };
}

describe('attemptRows', () => {
  const running = attempt(2, { state: 'running', ended_at: null, resumed: true, peak_memory: 10 });
  const rows = attemptRows(
    task([attempt(1, { cause: 'gpu_oom', exit_code: 1, node: 'n1', device: 'gpu:0' }), running], {
      node: 'n2',
      peak_memory: 99,
    }),
  );

  it('has the latest first, and knows which is current', () => {
    expect(rows.map(({ number, current }) => [number, current])).toEqual([
      [2, true],
      [1, false],
    ]);
  });

  it('shows what the task says of its current attempt', () => {
    expect(rows[0]).toMatchObject({ where: 'n2', peak_memory: 99, ending: null, state: 'running', resumed: true });
  });

  it('leaves earlier attempts as they ended', () => {
    expect(rows[1]).toMatchObject({
      where: 'n1 · gpu:0',
      ending: 'The GPU ran out of memory · exit code 1',
      state: 'error',
    });
  });

  it('finds the attempt to show', () => {
    expect(shownAttempt(rows, 1)?.number).toBe(1);
    expect(shownAttempt(rows, 0)?.number).toBe(2);
    expect(shownAttempt(rows, 17)?.number).toBe(2);
    expect(shownAttempt([], 1)).toBeUndefined();
  });
});

describe('peakMemory', () => {
  const curve = (values: (number | null)[]) => ({ task: 't', metric: 'sys/memory', steps: [], values, total: 0 });

  it('is the larger of what the task and what its curve say', () => {
    expect(peakMemory(5, curve([1, null, 9]))).toBe(9);
    expect(peakMemory(5, curve([1]))).toBe(5);
    expect(peakMemory(null, undefined)).toBeNull();
  });
});

describe('how an attempt ended', () => {
  it('says signal, exit code or nothing', () => {
    expect(exitWords({ exit_code: null, signal: 9 })).toBe('ended by SIGKILL');
    expect(exitWords({ exit_code: 0, signal: null })).toBe('exit code 0');
    expect(exitWords({ exit_code: null, signal: null })).toBeNull();
    expect(exitWords({ exit_code: null, signal: 63 })).toBe('ended by signal 63');
  });

  it('is nothing while it runs, or when nothing is known', () => {
    expect(endingOf(attempt(1, { ended_at: null }))).toBeNull();
    expect(endingOf(attempt(1, { cause: null }))).toBeNull();
    expect(endingOf(attempt(1, { cause: 'lost' }))).toBe('The task was lost');
    expect(endingOf(attempt(1, { cause: 'user_error' }), true)).toBe('The command failed');
  });
});

it('says what was changed from one attempt to the next', () => {
  const rows = attemptRows(
    task([attempt(1, { params: { lr: 0.1, n: 2 } }), attempt(2, { params: { lr: 0.12, n: 2 } })]),
  );
  expect(rows.map(({ changes }) => changes)).toEqual(['lr 0.1 → 0.12', '']);
});
