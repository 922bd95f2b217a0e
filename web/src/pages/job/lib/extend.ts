/** More of a search, as it is written in the dialog. */

import type { ExtendRequest, JobSpec, Outline, ParamSpace } from '../../../api/types';
import { spaceText } from '../../../lib/params';

export interface ExtendTexts {
  trials: string;
  time: string;
  /** By name, as written. */
  params: Record<string, string>;
}

/** The parameters that the search chooses, as texts. */
export function searchedParams({ params = {} }: JobSpec): Record<string, string> {
  const searched = Object.entries(params).filter(([, space]) => !isFixed(space));
  return Object.fromEntries(searched.map(([name, space]) => [name, spaceText(space)]));
}

function isFixed(space: ParamSpace): boolean {
  if (space === null || typeof space !== 'object') return true;
  if (Array.isArray(space)) return space.length === 1;
  return 'values' in space && space.values.length === 1;
}

/** What is to be sent: only what was given or changed; null where that is nothing. The server reads it. */
export function extension(before: ExtendTexts, now: ExtendTexts): ExtendRequest | null {
  const changed = Object.entries(now.params).filter(
    ([name, text]) => text.trim() !== '' && text.trim() !== before.params[name],
  );
  const body = {
    ...(now.trials.trim() ? { trials: Number(now.trials) } : {}),
    ...(now.time.trim() ? { time_budget: now.time.trim() } : {}),
    ...(changed.length ? { params: Object.fromEntries(changed) } : {}),
  };
  return Object.keys(body).length ? (body as unknown as ExtendRequest) : null;
}

/** `trial 37 of 100` */
export function trialText(tasks: readonly Outline[], toCome: number | null | undefined, repeat: number): string {
  const now = tasks.reduce((most, { trial }) => Math.max(most, trial), 0);
  if (toCome === null || toCome === undefined) return now ? `trial ${now}` : 'no trial yet';
  return `trial ${now.toLocaleString('en-US')} of ${(now + Math.ceil(toCome / repeat)).toLocaleString('en-US')}`;
}
