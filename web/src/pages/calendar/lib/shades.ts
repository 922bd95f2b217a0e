/** The hours that no rule lets one reserve, as places on the rows. */

import type { AllowedHours } from '../../../api/types';
import type { Area } from '../timeline/place';
import type { Row } from './rows';

interface Stretch {
  from: number;
  until: number;
}

export function shadesOf(allowed: readonly AllowedHours[], rows: readonly Row[], from: number, until: number): Area[] {
  const gaps = new Map<string, readonly Stretch[]>();
  for (const { devices, hours } of allowed) {
    const missing = gapsOf(hours, from, until);
    if (missing.length) for (const id of devices) gaps.set(id, missing);
  }
  const areas: Area[] = [];
  let above: readonly Stretch[] | undefined;
  for (const [index, row] of rows.entries()) {
    const own = row.kind === 'device' ? gaps.get(row.device.id) : undefined;
    if (own && own === above) for (const area of areas.slice(-own.length)) area.rows += 1;
    else if (own) areas.push(...own.map((gap) => ({ row: index, rows: 1, ...gap })));
    above = own;
  }
  return areas;
}

function gapsOf(hours: AllowedHours['hours'], from: number, until: number): Stretch[] {
  const gaps: Stretch[] = [];
  let at = from;
  for (const { starts_at, ends_at } of hours) {
    const start = Math.min(Date.parse(starts_at), until);
    if (start > at) gaps.push({ from: at, until: start });
    at = Math.max(at, Date.parse(ends_at));
  }
  if (at < until) gaps.push({ from: at, until });
  return gaps;
}
