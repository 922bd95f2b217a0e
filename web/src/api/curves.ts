/** Metrics: their names, and their curves. */

import { useQuery } from '@tanstack/react-query';
import { api, take } from './client';
import { type ChosenTasks, keys } from './keys';
import { eventCache, NO_SHARING } from './live';
import type { TaskState } from './types';

export const TASK_POINTS = 1000;
/** The most curves in one graph: of more tasks, half are the best and the others a sample. */
export const MOST_CURVES = 1000;
const FEW_CURVES = 300;

export function useMetricNames(job: string) {
  return useQuery({
    queryKey: keys.metricNames(job),
    queryFn: ({ signal }) => take(api.GET('/api/v1/jobs/{job}/metrics/names', { params: { path: { job } }, signal })),
  });
}

function isOf(job: string, task: string): boolean {
  return task.startsWith(job) && (task[job.length] === '-' || !job.includes('-'));
}

/** The curves of `count` tasks of a job, for these metrics; `chosen`: of these tasks only; `times`: when points came. */
export function useJobCurves(
  job: string,
  metrics: string[],
  count: number,
  chosen: ChosenTasks | null,
  times: boolean,
) {
  const points = count > FEW_CURVES ? 100 : 300; // many curves in one graph hide what is finer
  return useQuery({
    queryKey: keys.jobCurves(job, metrics, points, chosen, times),
    queryFn: async ({ signal }) => {
      const tasks = chosen && { q: chosen.q, state: chosen.state as TaskState[], numbers: chosen.numbers || undefined };
      const query = { metric: metrics, points, limit: MOST_CURVES, sample: true, slim: true, times, ...tasks };
      const curves = await take(api.GET('/api/v1/jobs/{job}/metrics', { params: { path: { job }, query }, signal }));
      const drawn = chosen && new Set(curves.map(({ task }) => task));
      const wanted = (task: string, name: string) =>
        isOf(job, task) && metrics.includes(name) && (drawn?.has(task) ?? true);
      return eventCache.catchUp(curves, wanted);
    },
    enabled: metrics.length > 0,
    ...NO_SHARING,
  });
}

interface TaskCurveOptions {
  /** All when not given. */
  metrics?: string[];
  points?: number;
  /** The curve of the task, over resumed attempts, when not given. */
  attempt?: number;
}

export function useTaskCurves(task: string, { metrics, points = TASK_POINTS, attempt }: TaskCurveOptions = {}) {
  return useQuery({
    queryKey: keys.taskCurves(task, metrics ?? null, points, attempt ?? null),
    queryFn: async ({ signal }) => {
      const query = { metric: metrics, points, attempt };
      const curves = await take(api.GET('/api/v1/tasks/{task}/metrics', { params: { path: { task }, query }, signal }));
      const wanted = (id: string, name: string) => id === curves[0]?.task && (!metrics || metrics.includes(name));
      return attempt === undefined ? eventCache.catchUp(curves, wanted) : curves;
    },
    ...NO_SHARING,
  });
}
