/** Limits as they are written in the dialog. */

import type { LimitsRequest } from '../../../api/types';

export interface LimitTexts {
  time: string;
  nice: string;
  priority: string;
}

/** What is to be sent: only what was changed, as it stands; null where that is nothing. The server reads the time. */
export function changedLimits(before: LimitTexts, now: LimitTexts): LimitsRequest | null {
  const change: LimitsRequest = {};
  const time = now.time.trim();
  if (time && time !== before.time) change.time_limit = time as unknown as number;
  if (now.nice.trim() && now.nice !== before.nice) change.nice = Number(now.nice);
  const priority = now.priority.trim();
  if (priority && priority !== before.priority) change.priority = Number(priority);
  return Object.keys(change).length ? change : null;
}
