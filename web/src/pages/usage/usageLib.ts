/** What is shown of the use of reservations. */

import type { Reservation, ReservationUse } from '../../api/types';

export interface UsedReservation {
  reservation: Reservation;
  uses: ReservationUse[];
  /** It has begun, and is not over. */
  runs: boolean;
  /** None of its GPUs has been used for a while. */
  idle: boolean;
  loadMean: number | null;
  loadPeak: number | null;
  memoryPeak: number | null;
  /** Share of the time that was measured in which it was used. */
  used: number | null;
}

const known = (values: readonly (number | null | undefined)[]) => values.filter((value) => value != null);

function mean(values: readonly number[]): number | null {
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}

function largest(values: readonly number[]): number | null {
  return values.length ? Math.max(...values) : null;
}

/** One's own reservations that have begun, the newest first, with how they were used. */
export function usedReservations(
  reservations: readonly Reservation[],
  uses: readonly ReservationUse[],
  now: number,
): UsedReservation[] {
  const of = new Map<string, ReservationUse[]>();
  for (const use of uses) of.set(use.reservation, [...(of.get(use.reservation) ?? []), use]);
  return reservations
    .filter(({ id, starts_at, cancelled_at }) => of.has(id) && !cancelled_at && Date.parse(starts_at) <= now)
    .map((reservation) => summary(reservation, of.get(reservation.id) ?? [], now))
    .toSorted((one, other) => Date.parse(other.reservation.starts_at) - Date.parse(one.reservation.starts_at));
}

function summary(reservation: Reservation, uses: ReservationUse[], now: number): UsedReservation {
  const seen = uses.reduce((sum, use) => sum + use.seen, 0);
  const runs = Date.parse(reservation.ends_at) > now;
  return {
    reservation,
    uses,
    runs,
    idle: runs && uses.length > 0 && uses.every((use) => use.release),
    loadMean: mean(known(uses.map((use) => use.load_mean))),
    loadPeak: largest(known(uses.map((use) => use.load_peak))),
    memoryPeak: largest(known(uses.map((use) => use.memory_peak))),
    used: seen ? uses.reduce((sum, use) => sum + use.busy, 0) / seen : null,
  };
}

/** `12.5`, `1,204`: GPU-hours, with a decimal where that says something. */
export function hours(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 1 : 0 });
}
