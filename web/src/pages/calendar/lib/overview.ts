/** What the overview of weeks shows of each device, hour by hour. */

import type { DeviceHours, Overview, ReservableDevice } from '../../../api/types';

const KINDS = ['free', 'mine', 'others', 'idle', 'used', 'maintenance'] as const;
export type HourKind = (typeof KINDS)[number];

/** A load below this is idle. */
const IDLE = 0.05;

/** As the server names its owner. */
export const MAINTENANCE = '';

export interface Run {
  kind: HourKind;
  from: number;
  until: number;
}

export function kindAt({ reserved, load }: DeviceHours, hour: number, name: string): HourKind {
  const owner = reserved[hour] ?? null;
  const busy = load[hour] ?? null;
  if (owner === null) return busy !== null && busy >= IDLE ? 'used' : 'free';
  if (owner === MAINTENANCE) return 'maintenance';
  if (busy !== null && busy < IDLE) return 'idle';
  return owner === name ? 'mine' : 'others';
}

/** Neighbouring hours of one kind are one run; free ones are left out. */
export function runsOf(row: DeviceHours, hours: number, name: string): Run[] {
  const runs: Run[] = [];
  for (let hour = 0; hour < hours; hour += 1) {
    const kind = kindAt(row, hour, name);
    const last = runs.at(-1);
    if (last && last.kind === kind && last.until === hour) last.until += 1;
    else if (kind !== 'free') runs.push({ kind, from: hour, until: hour + 1 });
  }
  return runs;
}

export interface Figures {
  key: string;
  name: string;
  /** GPU-hours that are reserved, and those of them in which nothing ran. */
  reserved: number;
  idle: number;
  /** Mean of the load, where it was measured. */
  load: number | null;
}

interface Sum {
  reserved: number;
  idle: number;
  load: number;
  measured: number;
}

export function figuresOf(overview: Overview, devices: ReadonlyMap<string, ReservableDevice>) {
  const people = new Map<string, Sum>();
  const rows: Figures[] = overview.devices.map((row) => {
    const gpus = devices.get(row.device)?.gpus ?? 1;
    const own = { reserved: 0, idle: 0, load: 0, measured: 0 };
    for (let hour = 0; hour < overview.hours; hour += 1) {
      const busy = row.load[hour] ?? null;
      const owner = row.reserved[hour] ?? null;
      count(own, busy, Boolean(owner), gpus);
      if (owner) count(sumOf(people, owner), busy, true, gpus);
    }
    return figure(row.device, devices.get(row.device)?.name ?? row.device, own);
  });
  const named = [...people].map(([name, sum]) => figure(name, name, sum));
  return { devices: rows, people: named.sort((a, b) => b.reserved - a.reserved) };
}

function sumOf(sums: Map<string, Sum>, key: string): Sum {
  const known = sums.get(key) ?? { reserved: 0, idle: 0, load: 0, measured: 0 };
  sums.set(key, known);
  return known;
}

function count(sum: Sum, busy: number | null, reserved: boolean, gpus: number): void {
  if (reserved) sum.reserved += gpus;
  if (busy === null) return;
  sum.load += busy;
  sum.measured += 1;
  if (reserved && busy < IDLE) sum.idle += gpus;
}

function figure(key: string, name: string, { reserved, idle, load, measured }: Sum): Figures {
  return { key, name, reserved, idle, load: measured ? load / measured : null };
}
