import { describe, expect, it } from 'vitest';
import type { ReservableDevice } from '../../../api/types';
import { figuresOf, runsOf } from './overview';

const ROW = {
  device: 'a',
  reserved: [null, 'alice', 'alice', 'bob', 'bob', null, null, ''],
  load: [null, 0.9, 0, 0.5, null, 0.6, 0.01, 0],
};

describe('the overview', () => {
  it('tells mine, others’, idle, maintenance, and what is used without a reservation', () => {
    expect(runsOf(ROW, 8, 'alice').map(({ kind, from, until }) => [kind, from, until])).toEqual([
      ['mine', 1, 2],
      ['idle', 2, 3],
      ['others', 3, 5],
      ['used', 5, 6],
      ['maintenance', 7, 8],
    ]);
  });

  it('adds up GPU-hours of people and devices; no measurement is no number', () => {
    const node = { id: 'a', name: 'node1', gpus: 8 } as ReservableDevice;
    const none = { device: 'b', reserved: Array(7).fill(null), load: Array(7).fill(null) };
    const overview = { since: '2026-11-16T00:00:00Z', hours: 8, devices: [ROW, none] };
    const { devices, people } = figuresOf(overview, new Map([['a', node]]));
    expect(devices[0]).toMatchObject({ name: 'node1', reserved: 32, idle: 8 });
    expect(devices[0]?.load).toBeCloseTo(2.01 / 6);
    expect(devices[1]).toMatchObject({ name: 'b', reserved: 0, load: null });
    expect(people.map(({ name, reserved, idle }) => [name, reserved, idle])).toEqual([
      ['alice', 16, 8],
      ['bob', 16, 0],
    ]);
  });
});
