/** GPU-hours that were reserved and used, and how well reservations are used. */

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, take } from './client';
import { keys } from './keys';
import type { UsageBy } from './types';

const EVERY_MS = 30_000;

/** The start of a stretch of days: the same for an hour, so that what was fetched is of use. */
export function daysAgo(days: number, now = Date.now()): number {
  const hour = 3_600_000;
  return Math.floor(now / hour) * hour - days * 24 * hour;
}

const text = (at: number) => new Date(at).toISOString();

/** `mine`: only one's own; otherwise all that one may see. */
export function useUsage(by: UsageBy, since: number, mine: boolean, enabled = true) {
  const query = { by, since: text(since), mine };
  return useQuery({
    queryKey: keys.usage(by, since, mine),
    queryFn: ({ signal }) => take(api.GET('/api/v1/usage', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
    enabled,
  });
}

/** How the devices of one's own reservations are used. */
export function useOwnUse(since: number) {
  const query = { since: text(since) };
  return useQuery({
    queryKey: keys.ownUse(since),
    queryFn: ({ signal }) => take(api.GET('/api/v1/usage/reservations', { params: { query }, signal })),
    refetchInterval: EVERY_MS,
  });
}
