/** How many GPUs a training has and may have. The server decides; here it is put into words. */

import type { JobSpec, TaskDetail } from '../api/types';
import { plural } from './format';

export interface Sizes {
  least: number;
  most: number;
  /** Null: of several tasks, which may differ. */
  now: number | null;
  /** What a resize that is under way leads to. */
  wanted: number | null;
}

/** The sizes that a job allows, and those of a task of it; null where they cannot change. */
export function sizesOf(spec: JobSpec | undefined, task?: TaskDetail): Sizes | null {
  const { gpus: least, most_gpus: most } = spec?.resources ?? {};
  if (!least || !most || least >= most) return null;
  const attempt = task?.attempts.find(({ number }) => number === task.attempt);
  return { least, most, now: task ? (attempt?.size ?? least) : null, wanted: task?.size_wanted ?? null };
}

/** What a resize does, sentence by sentence. */
export function resizeWords({ least, most, now, wanted }: Sizes, gpus: number): string[] {
  const allowed = `The job allows ${least} to ${most} GPUs.`;
  const again = 'What a script does not save when it is asked to end is done again.';
  if (now === null) {
    const each = `Each running task that has another number is asked to end, and goes on from its checkpoint with ${plural(gpus, 'GPU')}, as a new attempt.`;
    return [allowed, each, `While that many are not free, it trains on as it is. ${again}`];
  }
  const has = `It has ${plural(now, 'GPU')}${wanted === null ? '' : ` and is about to have ${wanted}`}. ${allowed}`;
  if (gpus === (wanted ?? now)) return [has];
  if (gpus === now) return [has, 'The resize that is under way is taken back: it trains on as it is.'];
  const how = `It is asked to end, and goes on from its checkpoint with ${plural(gpus, 'GPU')}, as a new attempt.`;
  return [has, how, `While that many are not free, it trains on as it is. ${again}`];
}
