/** Metrics: their names, and their curves. */

import { useQuery } from '@tanstack/react-query';
import { api, take } from './client';
import { keys } from './keys';
import { eventCache, NO_SHARING } from './live';
import type { Curve } from './types';

const CURVES = 5000;
export const JOB_POINTS = 300;
export const TASK_POINTS = 1000;

export function useMetricNames(job: string) {
  return useQuery({
    queryKey: keys.metricNames(job),
    queryFn: ({ signal }) => take(api.GET('/api/v1/jobs/{job}/metrics/names', { params: { path: { job } }, signal })),
  });
}

async function allCurves(job: string, metric: string[], points: number, signal: AbortSignal): Promise<Curve[]> {
  const path = { job };
  const read = (offset: number) => {
    const query = { metric, points, offset, limit: CURVES };
    return take(api.GET('/api/v1/jobs/{job}/metrics', { params: { path, query }, signal }));
  };
  // Tasks without points have no curve: how many there are in all is not to be seen from the curves.
  const count = take(api.GET('/api/v1/jobs/{job}/tasks', { params: { path, query: { limit: 1 } }, signal }));
  const [curves, { total }] = await Promise.all([read(0), count]);
  for (let offset = CURVES; offset < total; offset += CURVES) curves.push(...(await read(offset)));
  return eventCache.catchUp(curves, (task, name) => isOf(job, task) && metric.includes(name));
}

function isOf(job: string, task: string): boolean {
  return task.startsWith(job) && (task[job.length] === '-' || !job.includes('-'));
}

/** The curves of all tasks of a job, for these metrics. */
export function useJobCurves(job: string, metrics: string[], points = JOB_POINTS) {
  return useQuery({
    queryKey: keys.jobCurves(job, metrics, points),
    queryFn: ({ signal }) => allCurves(job, metrics, points, signal),
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
