/** Tasks: read, stopped and restarted. */

import { keepPreviousData, type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { withFiles } from '../lib/mapped';
import { columnOf, outlinesOf } from '../lib/outlines';
import { rangesText } from '../lib/ranges';
import type { Size } from '../lib/sizes';
import { api, take } from './client';
import { keys, type TaskFilter } from './keys';
import { eventCache, NO_SHARING } from './live';
import type { JobDetail, Outline, RestartRequest, StopRequest, Task, TaskDetail, TaskState } from './types';

const SEEN_MS = 15_000;
const ROWS_MS = 40;
/** Rows that are kept, though they are no longer in sight. */
const MOST_ROWS = 3000;

const COLUMNS = ['number', 'trial', 'state', 'attempt', 'reduces', 'best', 'at', 'epoch', 'params'];

/** All tasks of a job by number, each with what filters, graphs and the first columns of the table need. */
export function useTasks(job: string) {
  return useQuery({
    queryKey: keys.tasks(job),
    queryFn: async ({ signal }) => {
      const began = Date.now();
      const params = { path: { job }, query: { column: COLUMNS } };
      const found = await take(api.GET('/api/v1/jobs/{job}/tasks/columns', { params, signal }));
      return eventCache.catchUpTasks(job, outlinesOf(found), began);
    },
    ...NO_SHARING,
  });
}

/** The numbers of the tasks that match, in the order that is asked for. Null: all of them by number, or not known yet. */
export function useOrder(job: string, { q, state }: TaskFilter, sort: string): number[] | null {
  const plain = q.trim() === '' && state.length === 0 && sort === '';
  const { data, isError } = useQuery({
    queryKey: keys.order(job, { q, state }, sort),
    queryFn: async ({ signal }) => {
      const query = { column: ['number'], q, state: state as TaskState[], sort: sort || 'number' };
      const params = { path: { job }, query };
      const found = await take(api.GET('/api/v1/jobs/{job}/tasks/columns', { params, signal }));
      return columnOf<number>(found, 'number');
    },
    enabled: !plain,
    placeholderData: keepPreviousData,
    ...NO_SHARING,
  });
  return plain || isError ? null : (data ?? null);
}

const NO_STARTS: ReadonlyMap<string, number> = new Map();

/** When tasks started, in seconds since 1970. */
export function useStarts(job: string, enabled: boolean): ReadonlyMap<string, number> {
  const { data } = useQuery({
    queryKey: keys.starts(job),
    queryFn: async ({ signal }) => {
      const params = { path: { job }, query: { column: ['number', 'started'] } };
      const found = await take(api.GET('/api/v1/jobs/{job}/tasks/columns', { params, signal }));
      const numbers = columnOf<number>(found, 'number');
      const starts = columnOf<number | null>(found, 'started');
      return new Map(
        numbers.flatMap((number, i) => {
          const start = starts[i];
          return typeof start === 'number' ? [[`${found.job}-${number}`, start] as const] : [];
        }),
      );
    },
    enabled,
    ...NO_SHARING,
  });
  return data ?? NO_STARTS;
}

/** number -> column -> value */
export type Measured = ReadonlyMap<number, Record<string, number | null>>;
const NOT_MEASURED: Measured = new Map();

/** Values of metrics (`last.loss`) of the tasks in sight. */
export function useMeasured(job: string, columns: readonly string[], shown: readonly Outline[]): Measured {
  const numbers = rangesText(shown.map(({ number }) => number));
  const { data } = useQuery({
    queryKey: keys.measured(job, columns, numbers),
    queryFn: async ({ signal }) => {
      const params = { path: { job }, query: { column: ['number', ...columns], numbers } };
      const found = await take(api.GET('/api/v1/jobs/{job}/tasks/columns', { params, signal }));
      const values = columns.map((column) => columnOf<number | null>(found, column));
      const row = (i: number) => Object.fromEntries(columns.map((column, at) => [column, values[at]?.[i] ?? null]));
      return new Map(columnOf<number>(found, 'number').map((number, i) => [number, row(i)]));
    },
    enabled: columns.length > 0 && numbers !== '',
    placeholderData: keepPreviousData,
    ...NO_SHARING,
  });
  return columns.length ? (data ?? NOT_MEASURED) : NOT_MEASURED;
}

/** The other tasks of the same configuration. */
export function useTrial(job: string, trial: number) {
  return useQuery({
    queryKey: keys.trial(job, trial),
    queryFn: ({ signal }) => {
      const query = { q: `trial=${trial}`, slim: true };
      return take(api.GET('/api/v1/jobs/{job}/tasks', { params: { path: { job }, query }, signal }));
    },
  });
}

const NO_ROWS: ReadonlyMap<string, Task> = new Map();

/** Whole rows of the tasks in sight, by id; those that are missing are fetched. Events keep them true. */
export function useRows(job: string, shown: readonly Outline[]): ReadonlyMap<string, Task> {
  const client = useQueryClient();
  const { data: rows = NO_ROWS } = useQuery<ReadonlyMap<string, Task>>({
    queryKey: keys.rows(job),
    // What is kept is forgotten when it is no longer true; the effect below fetches what is in sight.
    queryFn: () => NO_ROWS,
    staleTime: Number.POSITIVE_INFINITY,
    ...NO_SHARING,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: again when the rows were forgotten
  useEffect(() => {
    const missing = shown.filter(({ id }) => !rows.has(id));
    if (missing.length === 0) return;
    const stop = new AbortController();
    const fetchRows = async (): Promise<void> => {
      const forgotten = eventCache.timesForgotten(job);
      const began = Date.now();
      const query = { numbers: rangesText(missing.map(({ number }) => number)), slim: true, limit: missing.length };
      const params = { path: { job }, query };
      const page = await take(api.GET('/api/v1/jobs/{job}/tasks', { params, signal: stop.signal }));
      if (eventCache.timesForgotten(job) !== forgotten) return fetchRows();
      const found = eventCache.catchUpTasks(job, page.items, began, false);
      client.setQueryData<ReadonlyMap<string, Task>>(keys.rows(job), (known = NO_ROWS) => {
        const kept = known.size > MOST_ROWS ? NO_ROWS : known;
        return new Map([...kept, ...found.map((task) => [task.id, task] as const)]);
      });
    };
    // Those that have scrolled by are not fetched. What cannot be fetched is shown as it is known.
    const timer = setTimeout(() => fetchRows().catch(() => {}), ROWS_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [job, shown, client, rows === NO_ROWS]);
  return rows;
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
export function useFiles<T extends Outline>(
  job: JobDetail | undefined,
  tasks: readonly T[] | undefined,
): T[] | undefined {
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

const UNENDED: ReadonlySet<TaskState> = new Set(['submitted', 'running']);

function showTask(client: QueryClient, ids: readonly string[], change: Partial<Task>): void {
  const named = new Set(ids);
  // The event that reports its end may come before the answer.
  const update = <T extends Outline>(task: T): T =>
    named.has(task.id) && UNENDED.has(task.state) ? { ...task, ...change } : task;
  client.setQueriesData<Outline[]>({ queryKey: ['tasks'] }, (tasks) => tasks?.map(update));
  client.setQueriesData<ReadonlyMap<string, Task>>(
    { queryKey: ['rows'] },
    (rows) => rows && new Map([...rows].map(([id, task]) => [id, update(task)])),
  );
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

/** Let a task go on with another number of GPUs. */
export function useResizeTask(task: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (gpus: Size) =>
      take(api.POST('/api/v1/tasks/{task}/resize', { params: { path: { task } }, body: { gpus } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['task'] }),
  });
}

/** The same for all running tasks of a job. */
export function useResizeJob(job: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (gpus: Size) =>
      take(api.POST('/api/v1/jobs/{job}/resize', { params: { path: { job } }, body: { gpus } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['task'] }),
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
