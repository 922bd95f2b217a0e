/** Reservations, and the devices that they are of. */

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, take } from './client';
import { keys } from './keys';
import { useChange } from './people';
import type { operations } from './schema';
import type { ReservationPatch, ReservationRequest } from './types';

const text = (at: number) => new Date(at).toISOString();

/** What can be reserved, with how busy it is. */
export function useDevices() {
  return useQuery({
    queryKey: keys.devices(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/devices', { signal })),
    refetchInterval: 15_000,
  });
}

/** All that lie in a stretch of time; the event stream says when there are others. */
export function useReservations(since: number, until: number) {
  const query = { since: text(since), until: text(until) };
  return useQuery({
    queryKey: keys.reservations(since, until),
    queryFn: async ({ signal }) => (await take(api.GET('/api/v1/reservations', { params: { query }, signal }))).items,
    placeholderData: keepPreviousData,
  });
}

const WEEK = 7 * 24 * 3_600_000;

/** Whether there are reservations at all: of the last week, or to come. */
export function useAnyReservation(enabled: boolean) {
  return useQuery({
    queryKey: keys.anyReservation(),
    queryFn: async ({ signal }) => {
      const query = { since: text(Date.now() - WEEK), until: text(Date.now() + 52 * WEEK), limit: 1 };
      const { items } = await take(api.GET('/api/v1/reservations', { params: { query }, signal }));
      return items.length > 0;
    },
    staleTime: 60_000,
    enabled,
  });
}

export type FreeQuery = NonNullable<operations['first_free_api_v1_reservations_free_get']['parameters']['query']>;

/** The earliest that are free and that one may reserve. */
export function useFreeSlots(query: FreeQuery | null) {
  return useQuery({
    queryKey: keys.freeSlots(query ?? {}),
    queryFn: ({ signal }) =>
      take(api.GET('/api/v1/reservations/free', { params: { query: query as FreeQuery }, signal })),
    enabled: query !== null,
    staleTime: 0,
  });
}

/** What is left of one's quotas, in the week of this moment. */
export function useOwnQuota(at: number, enabled: boolean) {
  const query = { at: text(at) };
  return useQuery({
    queryKey: keys.ownQuota(at),
    queryFn: ({ signal }) => take(api.GET('/api/v1/me/quota', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 0,
    enabled,
  });
}

/** When one may reserve which devices. */
export function useAllowedHours(enabled: boolean, since: number, until: number) {
  const query = { since: text(since), until: text(until) };
  return useQuery({
    queryKey: keys.allowedHours(since, until),
    queryFn: ({ signal }) => take(api.GET('/api/v1/rules/hours', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    enabled,
  });
}

/** Hour by hour: whose each device is, and how busy. */
export function useOverview(weeks: number) {
  return useQuery({
    queryKey: keys.overview(weeks),
    queryFn: ({ signal }) => take(api.GET('/api/v1/overview', { params: { query: { weeks } }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
}

const STALE = [['reservations'], ['quotas']] as const;

export function useReserve() {
  return useChange((body: ReservationRequest) => take(api.POST('/api/v1/reservations', { body })), ...STALE);
}

interface Edit {
  id: string;
  patch: ReservationPatch;
}

export function useEditReservation() {
  const edit = ({ id, patch }: Edit) =>
    take(api.PATCH('/api/v1/reservations/{id}', { params: { path: { id } }, body: patch }));
  return useChange(edit, ...STALE);
}

interface Which {
  id: string;
  /** All of its series that have not begun. */
  series?: boolean;
}

export function useCancelReservation() {
  const cancel = ({ id, series = false }: Which) =>
    take(api.POST('/api/v1/reservations/{id}/cancel', { params: { path: { id } }, body: { series, why: '' } }));
  return useChange(cancel, ...STALE);
}

/** The rest of it becomes free now. */
export function useReleaseReservation() {
  const release = (id: string) => take(api.POST('/api/v1/reservations/{id}/release', { params: { path: { id } } }));
  return useChange(release, ...STALE);
}
