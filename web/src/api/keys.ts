/** The keys of the query cache. Ids may be shortened, as in an address that was typed. */

import type { JobFilters } from './types';

export const keys = {
  jobs: (filters: JobFilters) => ['jobs', filters] as const,
  facets: () => ['jobs', 'facets'] as const,
  job: (job: string) => ['job', job] as const,
  tasks: (job: string) => ['tasks', job] as const,
  parts: (job: string) => ['parts', job] as const,
  search: (job: string) => ['search', job] as const,
  metricNames: (job: string) => ['metric-names', job] as const,
  jobCurves: (job: string, metrics: readonly string[], points: number) => ['job-curves', job, metrics, points] as const,
  task: (task: string) => ['task', task] as const,
  taskCurves: (task: string, metrics: readonly string[] | null, points: number, attempt: number | null) =>
    ['task-curves', task, metrics, points, attempt] as const,
  nodes: () => ['nodes'] as const,
  load: () => ['load'] as const,
  loadHistory: (backend: string, node: string, minutes: number) => ['load-history', backend, node, minutes] as const,
  health: () => ['health'] as const,
  backends: () => ['backends'] as const,
  profiles: () => ['profiles'] as const,
  version: () => ['version'] as const,
  samples: () => ['samples'] as const,
};

/** Whether an id is the one of a key, which may be its beginning: `3z2` of `3z2agxp7`, `3z2-4` of `3z2agxp7-4`. */
export function means(key: unknown, id: string): boolean {
  if (typeof key !== 'string') return false;
  if (key === id) return true;
  const [keyJob = '', keyNumber] = key.split('-');
  const [job = '', number] = id.split('-');
  return keyJob !== '' && job.startsWith(keyJob) && keyNumber === number;
}
