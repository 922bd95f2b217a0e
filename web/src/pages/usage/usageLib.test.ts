import { describe, expect, test } from 'vitest';
import type { Reservation, ReservationUse } from '../../api/types';
import { hours, usedReservations } from './usageLib';

const NOW = Date.parse('2026-11-18T12:00:00Z');
const reservation = (id: string, from: string, until: string, more = {}) =>
  ({ id, starts_at: from, ends_at: until, devices: [], cancelled_at: null, ...more }) as unknown as Reservation;
const use = (id: string, more: Partial<ReservationUse> = {}) =>
  ({ reservation: id, device: 'd', seen: 0, busy: 0, load_mean: null, release: false, ...more }) as ReservationUse;

describe('one’s own reservations', () => {
  test('those that have begun are shown, the newest first', () => {
    const all = [
      reservation('old', '2026-11-10T08:00:00Z', '2026-11-10T10:00:00Z'),
      reservation('now', '2026-11-18T08:00:00Z', '2026-11-18T20:00:00Z'),
      reservation('next', '2026-11-19T08:00:00Z', '2026-11-19T20:00:00Z'),
      reservation('off', '2026-11-17T08:00:00Z', '2026-11-17T20:00:00Z', { cancelled_at: '2026-11-16T00:00:00Z' }),
      reservation('bobs', '2026-11-18T08:00:00Z', '2026-11-18T20:00:00Z'),
    ];
    const shown = usedReservations(
      all,
      ['old', 'now', 'next', 'off'].map((id) => use(id)),
      NOW,
    );
    expect(shown.map(({ reservation: { id }, runs }) => [id, runs])).toEqual([
      ['now', true],
      ['old', false],
    ]);
  });

  test('means are of what was measured, and idle are only those of which all GPUs are', () => {
    const all = [reservation('a', '2026-11-18T08:00:00Z', '2026-11-18T20:00:00Z')];
    const busy = use('a', { seen: 100, busy: 50, load_mean: 0.5, load_peak: 0.9, memory_peak: 10, release: false });
    const idle = use('a', { seen: 100, busy: 0, load_mean: 0, load_peak: 0, memory_peak: 20, release: true });
    const [one] = usedReservations(all, [busy, idle, use('a')], NOW);
    expect(one).toMatchObject({ loadMean: 0.25, loadPeak: 0.9, memoryPeak: 20, used: 0.25, idle: false });
    expect(usedReservations(all, [idle], NOW)[0]).toMatchObject({ idle: true });
  });

  test('what was never measured is not zero', () => {
    const all = [reservation('a', '2026-11-18T08:00:00Z', '2026-11-18T20:00:00Z')];
    expect(usedReservations(all, [use('a')], NOW)[0]).toMatchObject({ loadMean: null, loadPeak: null, used: null });
  });
});

test('GPU-hours have a decimal while they are few', () => {
  expect([0, 0.04, 12.53, 100.4, 12345.6].map(hours)).toEqual(['0', '0', '12.5', '100', '12,346']);
});
