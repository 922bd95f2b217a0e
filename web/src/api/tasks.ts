/** Tasks: read, stopped and restarted. */

import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { withFiles } from '../lib/mapped';
import { api, take } from './client';
import { keys } from './keys';
import { eventCache, NO_SHARING } from './live';
import type { JobDetail, RestartRequest, StopRequest, Task, TaskDetail } from './types';

const PAGE = 1000;
const SEEN_MS = 15_000;

async function allTasks(job: string, signal: AbortSignal): Promise<Task[]> {
  const began = Date.now();
  const tasks: Task[] = [];
  for (;;) {
    const query = { offset: tasks.length, limit: PAGE, sort: 'number' as const };
    const page = await take(api.GET('/api/v1/jobs/{job}/tasks', { params: { path: { job }, query }, signal }));
    tasks.push(...page.items);
    if (page.items.length === 0 || tasks.length >= page.total) return eventCache.catchUpTasks(job, tasks, began);
  }
}

/** All tasks of a job, by number. */
export function useTasks(job: string) {
  return useQuery({ queryKey: keys.tasks(job), queryFn: ({ signal }) => allTasks(job, signal), ...NO_SHARING });
}

/** Of a map: the files of each task. They never change. */
function useParts(job: string, enabled: boolean) {
  return useQuery({
    queryKey: keys.parts(job),
    queryFn: ({ signal }) => take(api.GET('/api/v1/jobs/{job}/parts', { params: { path: { job } }, signal })),
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    ...NO_SHARING,
  });
}

/** Tasks of a map have files in place of the number of their part. Undefined until they are known. */
export function useFiles<T extends Task>(job: JobDetail | undefined, tasks: readonly T[] | undefined): T[] | undefined {
  const mapped = job?.mapped ?? false;
  const { data: parts, isError } = useParts(job?.id ?? '', mapped);
  return useMemo(() => {
    if (!tasks || !mapped || isError) return tasks as T[] | undefined;
    return parts && tasks.map((task) => withFiles(task, parts));
  }, [tasks, mapped, isError, parts]);
}

export function useTask(task: string) {
  return useQuery({
    queryKey: keys.task(task),
    queryFn: async ({ signal }) => {
      const began = Date.now();
      const found = await take(api.GET('/api/v1/tasks/{task}', { params: { path: { task } }, signal }));
      return eventCache.catchUpTask(found, began);
    },
    // When the scheduler was last heard of its allocation is no event.
    refetchInterval: ({ state }) =>
      state.data?.allocation?.script && !state.data.allocation.ended_at ? SEEN_MS : false,
  });
}

function showTask(client: QueryClient, ids: readonly string[], change: Partial<Task>): void {
  const named = new Set(ids);
  // The event that reports its end may come before the answer.
  const update = <T extends Task>(task: T): T => (named.has(task.id) && !task.ended_at ? { ...task, ...change } : task);
  client.setQueriesData<Task[]>({ queryKey: ['tasks'] }, (tasks) => tasks?.map(update));
  client.setQueriesData<TaskDetail>({ queryKey: ['task'] }, (task) => task && update(task));
}

/** Stop all tasks of a job that have not ended, or those named. */
export function useStop(job: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: StopRequest = {}) =>
      take(api.POST('/api/v1/jobs/{job}/stop', { params: { path: { job } }, body })),
    onSuccess: ({ tasks }) => showTask(client, tasks, { stopping: true }),
  });
}

export function useRestart(job: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: RestartRequest = {}) =>
      take(api.POST('/api/v1/jobs/{job}/restart', { params: { path: { job } }, body })),
    onSuccess: () => client.invalidateQueries(),
  });
}

export function useStopTask(task: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => take(api.POST('/api/v1/tasks/{task}/stop', { params: { path: { task } } })),
    onSuccess: ({ tasks }) => showTask(client, tasks, { stopping: true }),
  });
}

export function useRestartTask(task: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ resume = false }: { resume?: boolean } = {}) =>
      take(api.POST('/api/v1/tasks/{task}/restart', { params: { path: { task }, query: { resume } } })),
    onSuccess: () => client.invalidateQueries(),
  });
}
