/** Where reservations lie on the rows. */

import type { Reservation } from '../../../api/types';
import { type DeviceGroup, overlaps, type Row } from './rows';

/** A reservation on neighbouring rows. */
export interface Box {
  key: string;
  reservation: Reservation;
  row: number;
  rows: number;
  from: number;
  until: number;
}

/** A part of a folded host's time. */
export interface Stretch {
  from: number;
  until: number;
  /** Of its GPUs that are reserved then. */
  share: number;
}

export function rowOfDevice(rows: readonly Row[]): Map<string, number> {
  return new Map(rows.flatMap((row, index) => (row.kind === 'device' ? [[row.device.id, index] as const] : [])));
}

export function boxesOf(reservations: readonly Reservation[], rowOf: ReadonlyMap<string, number>): Box[] {
  const boxes: Box[] = [];
  for (const reservation of reservations) {
    if (reservation.cancelled_at) continue;
    const at = reservation.devices.flatMap((id) => rowOf.get(id) ?? []).sort((a, b) => a - b);
    const times = { from: Date.parse(reservation.starts_at), until: Date.parse(reservation.ends_at) };
    let last: Box | undefined;
    for (const row of at) {
      if (last && row === last.row + last.rows) last.rows += 1;
      else {
        last = { key: `${reservation.id}/${row}`, reservation, row, rows: 1, ...times };
        boxes.push(last);
      }
    }
  }
  return boxes;
}

export function boxAt(boxes: readonly Box[], row: number, from: number, until: number): Box | undefined {
  return boxes.find(
    (box) => box.row <= row && row < box.row + box.rows && box.from < until && box.until > from && box.from < box.until,
  );
}

/** How much of a host is reserved when: for the row of one that is folded. */
export function stretchesOf(group: DeviceGroup, reservations: readonly Reservation[]): Stretch[] {
  const own = new Set(group.devices.map(({ id }) => id));
  const steps = new Map<number, number>();
  const add = (at: string, count: number) => steps.set(Date.parse(at), (steps.get(Date.parse(at)) ?? 0) + count);
  for (const { devices, starts_at, ends_at, cancelled_at } of reservations) {
    const count = cancelled_at ? 0 : devices.filter((id) => own.has(id)).length;
    if (count === 0) continue;
    add(starts_at, count);
    add(ends_at, -count);
  }
  const times = [...steps.keys()].sort((a, b) => a - b);
  let held = 0;
  const found: Stretch[] = [];
  for (const [index, from] of times.entries()) {
    held += steps.get(from) ?? 0;
    const until = times[index + 1];
    if (held > 0 && until !== undefined) found.push({ from, until, share: held / own.size });
  }
  return found;
}

/** Those that are in the way of these devices then. */
export function inTheWay(
  reservations: readonly Reservation[],
  devices: readonly string[],
  from: number,
  until: number,
  except?: string,
): Reservation[] {
  const wanted = new Set(devices);
  return reservations.filter(
    (one) => one.id !== except && overlaps(one, from, until) && one.devices.some((id) => wanted.has(id)),
  );
}

/**
 * The devices of a reservation when its box is dragged this many rows down; null where that is not possible: they
 * are not all in sight, or there are not as many rows.
 */
export function shifted(
  reservation: Reservation,
  by: number,
  rows: readonly Row[],
  rowOf: ReadonlyMap<string, number>,
): string[] | null {
  if (by === 0) return reservation.devices;
  const order = rows.flatMap((row) => (row.kind === 'device' ? [row.device.id] : []));
  const place = new Map(order.map((id, index) => [id, index]));
  const first = Math.min(...reservation.devices.map((id) => rowOf.get(id) ?? Number.NaN));
  const target = rows[first + by];
  if (Number.isNaN(first) || !target) return null;
  // Rows of hosts lie between: what counts is how many devices further the first one is.
  const to = target.kind === 'device' ? target : rows[first + by + Math.sign(by)];
  const from = rows[first];
  if (to?.kind !== 'device' || from?.kind !== 'device') return null;
  const devices = (place.get(to.device.id) ?? 0) - (place.get(from.device.id) ?? 0);
  const moved = reservation.devices.map((id) => order[(place.get(id) ?? Number.NaN) + devices]);
  return moved.every((id) => id !== undefined) ? (moved as string[]) : null;
}
