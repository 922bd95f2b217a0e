/** The server itself, and what it offers. */

import { useQuery } from '@tanstack/react-query';
import { api, take } from './client';
import { keys } from './keys';

export function useHealth() {
  return useQuery({
    queryKey: keys.health(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/health', { signal })),
    refetchInterval: 15_000,
  });
}

/** Where jobs can run, and how each is. */
export function useBackends() {
  return useQuery({
    queryKey: keys.backends(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/backends', { signal })),
    refetchInterval: 15_000,
  });
}

/** The Python environments on the node of the server. */
export function useEnvironments() {
  return useQuery({
    queryKey: ['environments'],
    queryFn: ({ signal }) => take(api.GET('/api/v1/environments', { signal })),
    staleTime: 60_000,
  });
}

/** Resources with a name. */
export function useProfiles() {
  return useQuery({
    queryKey: keys.profiles(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/profiles', { signal })),
  });
}

export function useVersion() {
  return useQuery({
    queryKey: keys.version(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/version', { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useSamples(enabled = true) {
  return useQuery({
    queryKey: keys.samples(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/samples', { signal })),
    staleTime: Number.POSITIVE_INFINITY,
    enabled,
  });
}
