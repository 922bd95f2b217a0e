/** Jobs: read, and what can be done with them. */

import { keepPreviousData, type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, take, withPageKey } from './client';
import { keys } from './keys';
import type { JobDetail, JobFilters, JobPatch, LimitsRequest } from './types';

export function useJobs(filters: JobFilters) {
  return useQuery({
    queryKey: keys.jobs(filters),
    queryFn: ({ signal }) => take(api.GET('/api/v1/jobs', { params: { query: filters }, signal })),
    placeholderData: keepPreviousData,
  });
}

/** The owners and tags that jobs can be filtered by. */
export function useFacets() {
  return useQuery({
    queryKey: keys.facets(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/jobs/facets', { signal })),
  });
}

export function useJob(job: string | null) {
  return useQuery({
    queryKey: keys.job(job ?? ''),
    queryFn: ({ signal }) => take(api.GET('/api/v1/jobs/{job}', { params: { path: { job: job ?? '' } }, signal })),
    enabled: job !== null,
  });
}

/** The job as it is after it was changed, where it is shown. */
export function showJob(client: QueryClient, job: JobDetail): void {
  client.setQueryData(keys.job(job.id), job);
  client.invalidateQueries({ queryKey: ['jobs'] });
  client.invalidateQueries({ queryKey: ['task'] });
}

export function useEditJob(job: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: JobPatch) => take(api.PATCH('/api/v1/jobs/{job}', { params: { path: { job } }, body })),
    onSuccess: (changed) => {
      client.setQueryData(keys.job(job), changed);
      client.invalidateQueries({ queryKey: ['jobs'] });
    },
  });
}

/** Begin no further task (true), or go on. */
export function useHold(job: string) {
  const client = useQueryClient();
  const path = { params: { path: { job } } };
  return useMutation({
    mutationFn: (held: boolean) =>
      take(held ? api.POST('/api/v1/jobs/{job}/hold', path) : api.POST('/api/v1/jobs/{job}/release', path)),
    onSuccess: (changed) => showJob(client, changed),
  });
}

export function useLimits(job: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: LimitsRequest) =>
      take(api.POST('/api/v1/jobs/{job}/limits', { params: { path: { job } }, body })),
    onSuccess: (changed) => showJob(client, changed),
  });
}

export function useRemoveJob() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (job: string) => take(api.DELETE('/api/v1/jobs/{job}', { params: { path: { job } } })),
    onSuccess: (_, job) => {
      client.removeQueries({ queryKey: keys.job(job) });
      client.invalidateQueries({ queryKey: ['jobs'] });
    },
  });
}

export function exportUrl(job: string, format: 'csv' | 'jsonl'): string {
  return withPageKey(`/api/v1/jobs/${encodeURIComponent(job)}/export?format=${format}`);
}
