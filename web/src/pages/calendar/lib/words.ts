/** Times of reservations in words, on a clock of 24 hours. */

import type { ReservableDevice, Reservation } from '../../../api/types';
import { duration, plural } from '../../../lib/format';
import { dayText, HOUR } from '../../../lib/zone';

const inOrder = new Intl.Collator('en', { numeric: true }).compare;
const forms = new Map<string, Intl.DateTimeFormat>();

function inForm(at: number, zone: string, name: string, options: Intl.DateTimeFormatOptions): string {
  const key = `${name} ${zone}`;
  let form = forms.get(key);
  if (!form) {
    form = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone });
    forms.set(key, form);
  }
  return form.format(at).replace(',', '');
}

/** `Wed 18 Nov`. */
export function dayName(at: number, zone: string): string {
  return inForm(at, zone, 'day', { weekday: 'short', day: 'numeric', month: 'short' });
}

/** `14:30`. */
export function timeName(at: number, zone: string): string {
  return inForm(at, zone, 'time', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
}

/** `Wed 18 Nov 14:30`. */
export function momentName(at: number, zone: string): string {
  return `${dayName(at, zone)} ${timeName(at, zone)}`;
}

/** `Wed 18 Nov 14:30 to 18:00 (3 h 30 min)`. */
export function spanName(from: number, until: number, zone: string): string {
  const same = dayText(from, zone) === dayText(until, zone);
  const end = same ? timeName(until, zone) : momentName(until, zone);
  return `${momentName(from, zone)} to ${end} (${duration((until - from) / 1000)})`;
}

/** What a box says: whose, and what for. */
export function boxName({ kind, owner, title }: Reservation): string {
  if (kind === 'maintenance') return title ? `Maintenance: ${title}` : 'Maintenance';
  return title ? `${owner}: ${title}` : (owner ?? '');
}

/** `gpu1:0, gpu1:1 and 6 more`. */
export function deviceNames(ids: readonly string[], devices: ReadonlyMap<string, ReservableDevice>, most = 4): string {
  const names = ids.map((id) => devices.get(id)?.name ?? id).sort(inOrder);
  if (names.length <= most) return names.join(', ');
  return `${names.slice(0, most - 1).join(', ')} and ${names.length - most + 1} more`;
}

export function gpuCount(ids: readonly string[], devices: ReadonlyMap<string, ReservableDevice>): number {
  return ids.reduce((sum, id) => sum + (devices.get(id)?.gpus ?? 1), 0);
}

export function gpuHours(
  ids: readonly string[],
  devices: ReadonlyMap<string, ReservableDevice>,
  from: number,
  until: number,
): number {
  return (gpuCount(ids, devices) * Math.max(until - from, 0)) / HOUR;
}

export function gpusText(count: number): string {
  return plural(count, 'GPU');
}
