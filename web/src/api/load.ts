/** Nodes, and how busy they are. */

import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, take } from './client';
import { keys } from './keys';
import { NO_SHARING } from './live';

export function useNodes() {
  return useQuery({
    queryKey: keys.nodes(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/nodes', { signal })),
    refetchInterval: 5000,
  });
}

/** The nodes with how busy they are, who uses them, and advice for what runs. */
export function useLoad() {
  return useQuery({ ...LOAD, refetchInterval: 5000 });
}

/** What the owner of a job that runs could change. */
export function useAdvice(job: string, enabled: boolean) {
  return useQuery({
    ...LOAD,
    select: ({ jobs }) => jobs.find((one) => one.job === job)?.advice ?? [],
    refetchInterval: 30_000,
    enabled,
  });
}

const LOAD = queryOptions({
  queryKey: keys.load(),
  queryFn: ({ signal }) => take(api.GET('/api/v1/load', { signal })),
});

/** How busy a node and its GPUs were in the last `minutes`. The shorter the time, the closer the points. */
export function useLoadHistory(backend: string, node: string, minutes: number, enabled = true) {
  const query = { backend, node, minutes };
  return useQuery({
    queryKey: keys.loadHistory(backend, node, minutes),
    queryFn: ({ signal }) => take(api.GET('/api/v1/load/history', { params: { query }, signal })),
    refetchInterval: Math.min(Math.max(minutes * 200, 5000), 60_000),
    placeholderData: keepPreviousData,
    enabled,
    ...NO_SHARING,
  });
}
