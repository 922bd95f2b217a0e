/** When something will be, in words. */

import type { Expected } from '../api/types';
import { clock } from './format';

/** `16:40 to 17:30`, or only about when, where that is unsure; null where it is not known. */
export function bandText(band: Expected | null | undefined, now = Date.now()): string | null {
  if (!band) return null;
  if (Date.parse(band.late) - now < 60_000) return 'in less than a minute';
  if (band.unsure) return `about ${clock(band.likely, now)}, unsure`;
  const [early, late] = [Math.max(Date.parse(band.early), now), band.late].map((at) => clock(at, now));
  return early === late ? `at ${early}` : `${early} to ${late}`;
}
