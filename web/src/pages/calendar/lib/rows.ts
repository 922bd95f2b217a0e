/** The rows of the calendar: hosts, and the GPUs of those that are folded open. */

import type { ReservableDevice, Reservation } from '../../../api/types';
import { HOUR } from '../../../lib/zone';

/** A host with its GPUs; where whole nodes are reserved, a backend with its nodes. */
export interface DeviceGroup {
  key: string;
  name: string;
  devices: ReservableDevice[];
}

export type Row =
  | { kind: 'group'; group: DeviceGroup; folded: boolean }
  | { kind: 'device'; device: ReservableDevice; group: DeviceGroup };

export interface RowFilter {
  host: string;
  model: string;
  /** Hours for which it is free from now on; 0: all. */
  free: number;
}

const inOrder = new Intl.Collator('en', { numeric: true }).compare;

export function groupsOf(devices: readonly ReservableDevice[]): DeviceGroup[] {
  const groups = new Map<string, DeviceGroup>();
  for (const device of devices) {
    if (device.retired_at) continue;
    const whole = device.number === null;
    const key = whole ? device.backend : `${device.backend}/${device.host}`;
    const group = groups.get(key) ?? { key, name: whole ? device.backend : device.host, devices: [] };
    groups.set(key, group);
    group.devices.push(device);
  }
  for (const { devices: own } of groups.values()) {
    own.sort((a, b) => (a.number ?? 0) - (b.number ?? 0) || inOrder(a.name, b.name));
  }
  return [...groups.values()].sort((a, b) => inOrder(a.name, b.name) || inOrder(a.key, b.key));
}

export function rowsOf(groups: readonly DeviceGroup[], folded: ReadonlySet<string>): Row[] {
  return groups.flatMap((group): Row[] => {
    const head: Row = { kind: 'group', group, folded: folded.has(group.key) };
    return head.folded ? [head] : [head, ...group.devices.map((device): Row => ({ kind: 'device', device, group }))];
  });
}

export function chosenDevices(
  devices: readonly ReservableDevice[],
  { host, model, free }: RowFilter,
  reservations: readonly Reservation[],
  now: number,
): ReservableDevice[] {
  const taken = free > 0 ? takenIn(reservations, now, now + free * HOUR) : new Set<string>();
  return devices.filter(
    (one) =>
      (!host || one.host === host) &&
      (!model || one.model === model) &&
      !(free > 0 && (taken.has(one.id) || !one.online)),
  );
}

function takenIn(reservations: readonly Reservation[], from: number, until: number): Set<string> {
  const within = reservations.filter((one) => overlaps(one, from, until));
  return new Set(within.flatMap(({ devices }) => devices));
}

export function overlaps({ starts_at, ends_at, cancelled_at }: Reservation, from: number, until: number): boolean {
  return !cancelled_at && Date.parse(starts_at) < until && Date.parse(ends_at) > from;
}

/** Those that a drag over these rows means: a host that is folded, or alone, stands for all its GPUs. */
export function devicesOf(rows: readonly Row[], first: number, last: number): string[] {
  const [from, to] = first <= last ? [first, last] : [last, first];
  return rows.slice(from, to + 1).flatMap((row) => {
    if (row.kind === 'device') return [row.device.id];
    return row.folded || from === to ? row.group.devices.map(({ id }) => id) : [];
  });
}

/** `2 × H200 · 141 GiB` is said of a node, `H200 · 141 GiB` of a GPU. */
export function shortModel(model: string): string {
  return model.replace(/^(NVIDIA|AMD|Intel)\s+/i, '').replace(/^(GeForce|Tesla|Instinct)\s+/i, '');
}
