/** Which place a job has among others, and when it makes room for them, as texts of the form, and back. */

import type { JobSpec } from '../../../api/types';
import { given, num, numberText } from './texts';

export const GIVINGS = ['never', 'between', 'now'] as const;
export type Giving = (typeof GIVINGS)[number];

export interface RoomTexts {
  priority: string;
  /** Empty: as in the settings. */
  giveWay: Giving | '';
  /** So many of its places stay when others wait; empty: as in the settings. */
  keep: string;
  /** Tasks keep the number of GPUs that they begin with. */
  keepSize: boolean;
}

export const NO_ROOM: RoomTexts = { priority: '', giveWay: '', keep: '', keepSize: false };

export const GIVING_WORDS: Record<Giving, { label: string; says: string }> = {
  never: { label: 'Never', says: 'makes no room' },
  between: { label: 'Between two tasks', says: 'makes room between two tasks' },
  now: { label: 'At once, from a checkpoint', says: 'makes room at once' },
};

export function roomTextsOf({ priority, elastic }: JobSpec): RoomTexts {
  return {
    priority: priority ? String(priority) : '',
    giveWay: elastic?.give_way ?? '',
    keep: numberText(elastic?.keep),
    keepSize: !!elastic?.keep_size,
  };
}

export function roomOf({ priority, giveWay, keep, keepSize }: RoomTexts): Record<string, unknown> {
  const elastic = {
    ...(giveWay ? { give_way: giveWay } : {}),
    ...num('keep', keep),
    ...(keepSize ? { keep_size: true } : {}),
  };
  return { ...num('priority', priority), ...given('elastic', elastic) };
}

/** What the folded part of the form says: `priority 5, makes room at once`. */
export function roomText({ priority, giveWay, keep }: RoomTexts): string {
  const parts = [
    priority && `priority ${priority}`,
    giveWay && GIVING_WORDS[giveWay].says,
    keep && `keeps ${keep} for itself`,
  ];
  return parts.filter(Boolean).join(', ') || 'the server’s defaults';
}

/** Whether tasks may have one number of GPUs or another: `1..4`. */
export function isRange(gpus: string): boolean {
  return gpus.includes('..');
}
