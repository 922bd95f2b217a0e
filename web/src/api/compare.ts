/** Several jobs at once, for their comparison. */

import { useQueries } from '@tanstack/react-query';
import { api, take } from './client';
import { keys } from './keys';
import { eventCache, NO_SHARING } from './live';
import type { JobDetail, Task } from './types';

const POINTS = 300;

export function useJobsByIds(ids: readonly string[]) {
  return useQueries({
    queries: ids.map((job) => ({
      queryKey: keys.job(job),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        take(api.GET('/api/v1/jobs/{job}', { params: { path: { job } }, signal })),
    })),
  });
}

/** The best tasks of each job, best first; of a job without an objective, the first ones. */
export function useBestTasks(jobs: readonly (JobDetail | undefined)[], limit: number) {
  return useQueries({
    queries: jobs.map((job) => {
      const sort = !job?.objective.metric ? 'number' : job.objective.goal === 'max' ? '-best' : 'best';
      return {
        // Fetched again when another task is the best.
        queryKey: ['order', job?.id ?? '', 'best', limit, sort, job?.best_task, job?.best_value],
        queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Task[]> => {
          const params = { path: { job: job?.id ?? '' }, query: { sort, limit } };
          return (await take(api.GET('/api/v1/jobs/{job}/tasks', { params, signal }))).items;
        },
        enabled: job !== undefined,
      };
    }),
  });
}

/** All curves of each task. */
export function useCurvesOf(tasks: readonly string[]) {
  return useQueries({
    queries: tasks.map((task) => ({
      queryKey: keys.taskCurves(task, null, POINTS, null),
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const params = { path: { task }, query: { points: POINTS } };
        const curves = await take(api.GET('/api/v1/tasks/{task}/metrics', { params, signal }));
        return eventCache.catchUp(curves, (id) => id === task);
      },
      ...NO_SHARING,
    })),
  });
}
