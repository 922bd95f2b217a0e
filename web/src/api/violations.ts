/** Processes on GPUs that others have reserved, and what is exempt. */

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { api, take } from './client';
import { keys } from './keys';
import { useChange } from './people';
import type { ViolationExemption } from './types';

/** All of them: those that go on first. Older ones by `fetchNextPage`. */
export function useViolations() {
  return useInfiniteQuery({
    queryKey: keys.violations(),
    queryFn: ({ signal, pageParam }) => {
      const query = pageParam === null ? {} : { before: pageParam };
      return take(api.GET('/api/v1/violations', { params: { query }, signal }));
    },
    initialPageParam: null as number | null,
    getNextPageParam: ({ items, more }) => (more ? (items.at(-1)?.id ?? null) : null),
  });
}

/** Those that go on. */
export function useOpenViolations(enabled: boolean) {
  return useQuery({
    queryKey: keys.openViolations(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/violations', { params: { query: { open: true } }, signal })),
    enabled,
  });
}

const path = (id: number) => ({ params: { path: { id } } });

export function useAskIntruder() {
  return useChange((id: number) => take(api.POST('/api/v1/violations/{id}/ask', path(id))), keys.violations());
}

export function useEndIntruder() {
  return useChange((id: number) => take(api.POST('/api/v1/violations/{id}/end', path(id))), keys.violations());
}

export function useExemptViolation(id: number) {
  const exempt = (body: ViolationExemption) => take(api.POST('/api/v1/violations/{id}/exempt', { ...path(id), body }));
  return useChange(exempt, keys.violations(), keys.exemptions());
}

export function useExemptions(enabled: boolean) {
  return useQuery({
    queryKey: keys.exemptions(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/exemptions', { signal })),
    enabled,
  });
}

export function useRemoveExemption() {
  const remove = (id: string) => take(api.DELETE('/api/v1/exemptions/{id}', { params: { path: { id } } }));
  return useChange(remove, keys.violations(), keys.exemptions());
}
