/** The attempts of a task as rows. */

import type { Attempt, Curve, TaskDetail } from '../../../api/types';
import { changesText } from '../../../lib/params';
import { causeWords, signalName } from './words';

export interface AttemptRow extends Attempt {
  current: boolean;
  /** How it ended, in words: null while it has not. */
  ending: string | null;
  where: string | null;
  /** `lr 0.1 → 0.12`: what differs from the attempt before; empty where nothing does. */
  changes: string;
}

/** The largest memory known: while a task runs, its curve is newer than the task. */
export function peakMemory(known: number | null | undefined, curve: Curve | undefined): number | null {
  const measured = (curve?.values ?? []).filter((value) => value !== null);
  return [known ?? 0, ...measured].reduce((most, value) => Math.max(most, value), 0) || null;
}

/** The latest first. What moves while the task runs is in the task, before it is in its list of attempts. */
export function attemptRows(task: TaskDetail, mapped = false): AttemptRow[] {
  return task.attempts
    .map((attempt) => {
      const current = attempt.number === task.attempt;
      const now = current ? { ...attempt, ...live(task, attempt) } : attempt;
      const before = task.attempts.find(({ number }) => number === attempt.number - 1);
      const changes = before?.params && attempt.params ? changesText(before.params, attempt.params) : '';
      return { ...now, current, ending: endingOf(now, mapped), where: whereOf(now), changes };
    })
    .sort((a, b) => b.number - a.number);
}

function live(task: TaskDetail, attempt: Attempt): Partial<Attempt> {
  const { state, node, device, peak_memory, peak_gpu_memory, seat, cpu_seconds, started_at, ended_at } = task;
  return {
    state,
    started_at: started_at ?? attempt.started_at,
    ended_at: ended_at ?? attempt.ended_at,
    node: node ?? attempt.node,
    device: device ?? attempt.device,
    peak_memory: peak_memory ?? attempt.peak_memory,
    peak_gpu_memory: peak_gpu_memory ?? attempt.peak_gpu_memory,
    seat: seat ?? attempt.seat,
    cpu_seconds: cpu_seconds ?? attempt.cpu_seconds,
  };
}

/** The attempt that the page is about: the one asked for, else the current one. */
export function shownAttempt(rows: readonly AttemptRow[], wanted: number): AttemptRow | undefined {
  return rows.find(({ number }) => number === wanted) ?? rows.find(({ current }) => current) ?? rows[0];
}

export function endingOf(attempt: Attempt, mapped = false): string | null {
  if (!attempt.ended_at) return null;
  const how = exitWords(attempt);
  const why = attempt.cause ? causeWords(attempt.cause, mapped).title : null;
  return [why, how].filter((part) => part !== null).join(' · ') || null;
}

/** `exit code 1`, `killed by SIGKILL`; nothing where the process has none. */
export function exitWords({ exit_code, signal }: Pick<Attempt, 'exit_code' | 'signal'>): string | null {
  if (signal != null) return `ended by ${signalName(signal)}`;
  return exit_code == null ? null : `exit code ${exit_code}`;
}

export function whereOf({ node, device }: Pick<Attempt, 'node' | 'device'>): string | null {
  return [node, device].filter(Boolean).join(' · ') || null;
}
