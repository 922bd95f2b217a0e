/** The server's reason why something waits, as a sentence of the page. */

import type { Waits } from '../api/types';
import { clock } from './format';

export function waitText({ reason }: Pick<Waits, 'reason'>): string {
  return reason.charAt(0).toUpperCase() + reason.slice(1);
}

/** The whole sentence, with about when it starts: `Waits for a GPU; expected to start at 14:32`. */
export function waitSentence(waits: Pick<Waits, 'reason' | 'starts_at' | 'never'>, now = Date.now()): string {
  const { starts_at: at, never } = waits;
  return waitText(waits) + (at && !never ? `; expected to start ${startWords(at, now)}` : '');
}

/** `at 14:32`, or that it may be any moment. */
export function startWords(at: string, now = Date.now()): string {
  return Date.parse(at) <= now ? 'any moment' : `at ${clock(at, now)}`;
}

export const NEVER_HINT =
  'Change its limits, or release it if it was held on the cluster itself; otherwise stop it and start from this job with other resources. The people who run the cluster can tell you more.';
