/** How many GPUs a training has and may have. The server decides; here it is put into words. */

import type { JobSpec, TaskDetail } from '../api/types';
import { plural } from './format';

/** `auto`: the policy of the server chooses. */
export type Size = number | 'auto';

export interface Sizes {
  least: number;
  most: number;
  /** Null: of several tasks, which may differ. */
  now: number | null;
  /** What a resize that is under way leads to. */
  wanted: number | null;
  /** Who chose the number; null: nobody, so the policy may change it. */
  by: string | null;
  /** The job was submitted so that only people resize its tasks. */
  kept: boolean;
}

/** The sizes that a job allows, and those of a task of it; null where they cannot change. */
export function sizesOf(spec: JobSpec | undefined, task?: TaskDetail): Sizes | null {
  const { gpus: least, most_gpus: most } = spec?.resources ?? {};
  if (!least || !most || least >= most) return null;
  const attempt = task?.attempts.find(({ number }) => number === task.attempt);
  const now = task ? (attempt?.size ?? least) : null;
  return {
    least,
    most,
    now,
    wanted: task?.size_wanted ?? null,
    by: task?.sized_by ?? null,
    kept: !!spec?.elastic?.keep_size,
  };
}

/** What was chosen last. */
export function chosenSize({ now, wanted, by }: Sizes): Size {
  return by === null ? 'auto' : (wanted ?? now ?? 'auto');
}

/** What a choice does, sentence by sentence. */
export function resizeWords(sizes: Sizes, size: Size): string[] {
  const { least, most, now, wanted, by, kept } = sizes;
  const allowed = `The job allows ${least} to ${most} GPUs.`;
  const about = wanted === null ? '' : ` and is about to have ${wanted}`;
  const whose = by === null ? '' : `, as ${by} chose`;
  const first = now === null ? allowed : `It has ${plural(now, 'GPU')}${about}${whose}. ${allowed}`;
  if (size === 'auto' && kept) return [first, 'Only people change it: the job was submitted with --keep-size.'];
  if (size === 'auto') {
    return [first, 'Paddock chooses the number, as GPUs become free and are needed, if its settings let it.'];
  }
  const keeps = `${now === null ? 'They keep' : 'It keeps'} that number until Auto is chosen.`;
  if (size === now && wanted === null) return [first, keeps];
  if (size === now) return [first, `The resize that is under way is taken back: it trains on as it is. ${keeps}`];
  if (size === wanted) return [first, keeps];
  const end = now === null ? 'Each running task that has another number is asked to end' : 'It is asked to end';
  return [
    first,
    `${end}, and goes on from its checkpoint with ${plural(size, 'GPU')}, as a new attempt. ${keeps}`,
    'While that many are not free, it trains on as it is. What a script does not save when it is asked to end is done again.',
  ];
}

/** The words of the button that does it. */
export function actionOf({ now, wanted }: Sizes, size: Size): string {
  if (size === 'auto') return 'Let Paddock choose';
  return `${size === (wanted ?? now) || size === now ? 'Stay with' : 'Go on with'} ${plural(size, 'GPU')}`;
}
