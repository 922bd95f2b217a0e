import { describe, expect, it } from 'vitest';
import type { ReservableDevice, Reservation } from '../../../api/types';
import { HOUR } from '../../../lib/zone';
import { boxAt, boxesOf, inTheWay, rowOfDevice, shifted, stretchesOf } from './boxes';
import { chosenDevices, devicesOf, groupsOf, rowsOf, shortModel } from './rows';
import { percentOf, snapped, spanOf, ticksOf, timeAt } from './span';
import { boxName, deviceNames, gpuHours, spanName } from './words';

const NOON = Date.parse('2026-11-18T12:00:00Z');

function gpu(host: string, number: number | null, more: Partial<ReservableDevice> = {}): ReservableDevice {
  const name = number === null ? host : `${host}:${number}`;
  const about = { uuid: null, model: 'NVIDIA H200', memory: null, gpus: 1, partitions: [], online: true };
  return { id: name.replace(':', 'x'), backend: 'lab', host, number, name, ...about, ...more } as ReservableDevice;
}

function booked(id: string, devices: string[], from: number, hours: number, more = {}): Reservation {
  const times = {
    starts_at: new Date(NOON + from * HOUR).toISOString(),
    ends_at: new Date(NOON + (from + hours) * HOUR).toISOString(),
  };
  return { id, kind: 'reservation', owner: 'alice', title: '', devices, ...times, ...more } as Reservation;
}

const LAB = [gpu('gpu10', 0), gpu('gpu2', 1), gpu('gpu2', 0), gpu('gpu2', 2), gpu('old', 0, { retired_at: 'x' })];
const rows = rowsOf(groupsOf(LAB), new Set());
const names = rows.map((row) => (row.kind === 'group' ? row.group.name : row.device.name));

describe('rows', () => {
  it('are hosts in the order of people, each with its GPUs from 0 on, without what is gone', () => {
    expect(names).toEqual(['gpu2', 'gpu2:0', 'gpu2:1', 'gpu2:2', 'gpu10', 'gpu10:0']);
  });

  it('are those of a backend where whole nodes are reserved', () => {
    const nodes = groupsOf([gpu('n2', null, { backend: 'slurm', gpus: 8 }), gpu('n1', null, { backend: 'slurm' })]);
    expect(nodes.map(({ name, devices }) => [name, devices.map((one) => one.name)])).toEqual([['slurm', ['n1', 'n2']]]);
  });

  it('fold to their host', () => {
    expect(rowsOf(groupsOf(LAB), new Set(['lab/gpu2'])).map(({ kind }) => kind)).toEqual(['group', 'group', 'device']);
  });

  it('that a drag covers, in either direction; a folded host is all its GPUs', () => {
    expect(devicesOf(rows, 1, 2)).toEqual(['gpu2x0', 'gpu2x1']);
    expect(devicesOf(rows, 5, 3)).toEqual(['gpu2x2', 'gpu10x0']);
    expect(devicesOf(rows, 0, 0)).toEqual(['gpu2x0', 'gpu2x1', 'gpu2x2']);
    expect(devicesOf(rowsOf(groupsOf(LAB), new Set(['lab/gpu2'])), 0, 2)).toHaveLength(4);
  });

  it('are chosen by host, model and for how long they are free', () => {
    const taken = [booked('a', ['gpu2x0'], 3, 1), booked('b', ['gpu2x1'], 3, 1, { cancelled_at: 'x' })];
    const of = (filter: object) =>
      chosenDevices(LAB, { host: '', model: '', free: 0, ...filter }, taken, NOON).map(({ id }) => id);
    expect(of({ host: 'gpu10' })).toEqual(['gpu10x0']);
    expect(of({ host: 'gpu2', free: 3 })).toEqual(['gpu2x1', 'gpu2x0', 'gpu2x2']);
    expect(of({ host: 'gpu2', free: 4 })).toEqual(['gpu2x1', 'gpu2x2']);
    expect(of({ model: 'H200' })).toEqual([]);
  });

  it('say a model shortly', () => {
    expect(['NVIDIA H200', 'NVIDIA GeForce RTX 4090', 'Tesla V100'].map(shortModel)).toEqual([
      'H200',
      'RTX 4090',
      'V100',
    ]);
  });
});

describe('boxes', () => {
  const rowOf = rowOfDevice(rows);

  it('join neighbouring rows, and no others', () => {
    const boxes = boxesOf([booked('a', ['gpu10x0', 'gpu2x0', 'gpu2x1'], 0, 2)], rowOf);
    expect(boxes.map(({ row, rows: count }) => [row, count])).toEqual([
      [1, 2],
      [5, 1],
    ]);
    expect(boxAt(boxes, 2, NOON + HOUR, NOON + 2 * HOUR)?.reservation.id).toBe('a');
    expect(boxAt(boxes, 2, NOON + 2 * HOUR, NOON + 3 * HOUR)).toBeUndefined();
    expect(boxAt(boxes, 3, NOON, NOON + HOUR)).toBeUndefined();
  });

  it('leave out what is cancelled or not in sight', () => {
    const gone = booked('a', ['gpu2x0'], 0, 2, { cancelled_at: 'x' });
    expect(boxesOf([gone, booked('b', ['elsewhere'], 0, 1)], rowOf)).toEqual([]);
  });

  it('of a folded host are shares of it', () => {
    const all = [booked('a', ['gpu2x0'], 0, 2), booked('b', ['gpu2x1', 'gpu2x2', 'gpu10x0'], 1, 2)];
    const found = stretchesOf(groupsOf(LAB)[0] as never, all);
    expect(found.map(({ from, until, share }) => [(from - NOON) / HOUR, (until - NOON) / HOUR, share])).toEqual([
      [0, 1, 1 / 3],
      [1, 2, 1],
      [2, 3, 2 / 3],
    ]);
  });

  it('find what is in the way, but not one that only touches, nor itself', () => {
    const all = [booked('a', ['gpu2x0'], 0, 2), booked('b', ['gpu2x0'], 2, 2)];
    const between = (from: number, until: number, except?: string) =>
      inTheWay(all, ['gpu2x0'], NOON + from * HOUR, NOON + until * HOUR, except).map(({ id }) => id);
    expect(between(2, 3)).toEqual(['b']);
    expect(between(1, 3)).toEqual(['a', 'b']);
    expect(between(1, 3, 'a')).toEqual(['b']);
  });

  it('move over rows of hosts, as one, and not out of sight', () => {
    const one = booked('a', ['gpu2x1', 'gpu2x2'], 0, 2);
    expect(shifted(one, -1, rows, rowOf)).toEqual(['gpu2x0', 'gpu2x1']);
    expect(shifted(one, 1, rows, rowOf)).toEqual(['gpu2x2', 'gpu10x0']);
    expect(shifted(one, 2, rows, rowOf)).toBeNull();
    expect(shifted(booked('a', ['gpu2x2'], 0, 2), 1, rows, rowOf)).toEqual(['gpu10x0']);
    expect(shifted(booked('a', ['gpu2x0', 'elsewhere'], 0, 2), 1, rows, rowOf)).toBeNull();
  });
});

describe('the span', () => {
  it('begins at midnight and has days of 23 to 25 hours', () => {
    const span = spanOf('2026-10-24', 3, 'Europe/Rome', NOON);
    expect(span.days.map((day, index) => (index ? (day - (span.days[index - 1] as number)) / HOUR : 0))).toEqual([
      0, 24, 25, 24,
    ]);
    expect(spanOf('', 7, 'UTC', NOON).from).toBe(Date.parse('2026-11-18T00:00:00Z'));
    expect(spanOf('nonsense', 1, 'UTC', NOON).from).toBe(Date.parse('2026-11-18T00:00:00Z'));
  });

  it('maps moments to places and back', () => {
    const span = spanOf('2026-11-18', 1, 'UTC', NOON);
    expect(percentOf(span, NOON)).toBe(50);
    expect(timeAt(span, 0.5)).toBe(NOON);
  });

  it('snaps to the clock of each day, also after a change of it', () => {
    const span = spanOf('2026-10-24', 30, 'Europe/Rome', NOON);
    const day = Date.parse('2026-10-26T00:00:00+01:00');
    expect(snapped(span, day + 7 * HOUR)).toBe(day + 6 * HOUR);
    expect(snapped(span, day + 7 * HOUR, Math.ceil)).toBe(day + 12 * HOUR);
  });

  it('names hours that the clock shows', () => {
    expect(
      ticksOf(spanOf('2026-10-25', 7, 'Europe/Rome', NOON))
        .slice(0, 4)
        .map(({ label }) => label),
    ).toEqual(['06', '12', '18', '06']);
    expect(ticksOf(spanOf('', 30, 'UTC', NOON))).toEqual([]);
  });
});

describe('words', () => {
  it('say when, whose and how much', () => {
    expect(spanName(NOON, NOON + 90 * 60_000, 'Europe/Rome')).toBe('Wed 18 Nov 13:00 to 14:30 (1 h 30 min)');
    expect(spanName(NOON, NOON + 24 * HOUR, 'UTC')).toBe('Wed 18 Nov 12:00 to Thu 19 Nov 12:00 (1 d)');
    expect(boxName(booked('a', [], 0, 1, { title: 'ViT' }))).toBe('alice: ViT');
    expect(boxName(booked('a', [], 0, 1, { kind: 'maintenance', owner: null }))).toBe('Maintenance');
    const known = new Map(LAB.map((one) => [one.id, one]));
    expect(
      deviceNames(
        LAB.map(({ id }) => id),
        known,
      ),
    ).toBe('gpu2:0, gpu2:1, gpu2:2 and 2 more');
    expect(gpuHours(['gpu2x0', 'gpu2x1'], known, NOON, NOON + 3 * HOUR)).toBe(6);
  });
});
