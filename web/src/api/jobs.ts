/** Jobs: read, and what can be done with them. */

import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, take, withPageKey } from './client';
import { keys } from './keys';
import type { BulkRequest, JobDetail, JobFilters, JobPatch, LimitsRequest, ObjectiveRequest, SavedView } from './types';

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

/** How many GPUs its tasks have had, and why that changed. */
export function useJobGpus(job: string) {
  return useQuery({
    queryKey: keys.gpus(job),
    queryFn: ({ signal }) => take(api.GET('/api/v1/jobs/{job}/gpus', { params: { path: { job } }, signal })),
  });
}

/** A mutation that answers with the job, which is then shown everywhere. */
export function useJobChange<T>(change: (given: T) => Promise<JobDetail>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (job) => {
      client.setQueryData(keys.job(job.id), job);
      for (const what of ['jobs', 'task', 'search']) client.invalidateQueries({ queryKey: [what] });
    },
  });
}

export function useEditJob(job: string) {
  return useJobChange((body: JobPatch) => take(api.PATCH('/api/v1/jobs/{job}', { params: { path: { job } }, body })));
}

/** Start no further task (true), or go on. */
export function useHold(job: string) {
  const path = { params: { path: { job } } };
  return useJobChange((held: boolean) =>
    take(held ? api.POST('/api/v1/jobs/{job}/hold', path) : api.POST('/api/v1/jobs/{job}/release', path)),
  );
}

export function useLimits(job: string) {
  return useJobChange((body: LimitsRequest) =>
    take(api.POST('/api/v1/jobs/{job}/limits', { params: { path: { job } }, body })),
  );
}

/** What makes a task of a job better than another, and the metrics that it could be. */
export function useObjective(job: string) {
  return useQuery({
    queryKey: keys.objective(job),
    queryFn: ({ signal }) => take(api.GET('/api/v1/jobs/{job}/objective', { params: { path: { job } }, signal })),
    staleTime: 0,
  });
}

export function useChangeObjective(job: string) {
  return useJobChange((body: ObjectiveRequest) =>
    take(api.PUT('/api/v1/jobs/{job}/objective', { params: { path: { job } }, body })),
  );
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

/** The same for several jobs at once; each is reported. */
export function useBulk() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: BulkRequest) => take(api.POST('/api/v1/jobs/bulk', { body })),
    onSuccess: () => {
      for (const what of ['jobs', 'job', 'task', 'tasks']) client.invalidateQueries({ queryKey: [what] });
    },
  });
}

/** Named filters of the list of jobs. */
export function useViews() {
  return useQuery({
    queryKey: keys.views(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/views', { signal })),
  });
}

export function useSaveView() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: SavedView) => take(api.PUT('/api/v1/views', { body })),
    onSuccess: (views) => client.setQueryData(keys.views(), views),
  });
}

export function useDeleteView() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => take(api.DELETE('/api/v1/views/{name}', { params: { path: { name } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.views() }),
  });
}

export function exportUrl(job: string, format: 'csv' | 'jsonl' | 'optuna', what: 'tasks' | 'curves' = 'tasks'): string {
  return withPageKey(`/api/v1/jobs/${encodeURIComponent(job)}/export?format=${format}&what=${what}`);
}
