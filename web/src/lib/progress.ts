/** How far a task is, and whether it reports anything, in words. */

import type { Job, Task } from '../api/types';
import { duration, number, plural, secondsBetween } from './format';

type Counted = Partial<Pick<Task, 'epoch' | 'epochs' | 'epochs_done'>>;

/** `4 of 10 epochs`; `epoch 3`, as the script counts, where their number is not known. */
export function epochText({ epoch, epochs, epochs_done: done }: Counted, step = 'epoch'): string | null {
  if (done != null && epochs != null) return `${number(done)} of ${plural(epochs, step)}`;
  return epoch == null ? null : `${step} ${number(epoch)}`;
}

type Reporting = Partial<Pick<Task & Job, 'reported_at' | 'quiet_after'>>;

/** `nothing reported for 5 min`; null of what still reports. The server says from when on. */
export function quietText({ reported_at: last, quiet_after: after }: Reporting, now: number): string | null {
  if (!last || !after || now < Date.parse(after)) return null;
  const seconds = secondsBetween(last, null, now) ?? 0;
  return `nothing reported for ${duration(Math.floor(seconds / 60) * 60)}`;
}
