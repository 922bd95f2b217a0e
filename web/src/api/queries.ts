/** Everything the pages ask of the server. */

import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ChosenFile } from '../lib/files';
import { withFiles } from '../lib/mapped';
import { api, request, take, withPageKey } from './client';
import type { EventCache } from './eventCache';
import { keys } from './keys';
import type {
  CodeInfo,
  Curve,
  ExtendRequest,
  InspectRequest,
  JobDetail,
  JobFilters,
  JobPatch,
  JobSpec,
  LimitsRequest,
  ParamSpace,
  Preview,
  RestartRequest,
  StopRequest,
  Task,
  TaskDetail,
} from './types';

const PAGE = 1000;
const CURVES = 5000;
export const JOB_POINTS = 300;
export const TASK_POINTS = 1000;
const SEEN_MS = 15_000;
const NO_SHARING = { structuralSharing: false } as const; // comparing thousands of points costs more than it saves

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: { quiet?: boolean };
  }
}

let cache: EventCache | null = null;

/** Curves that are on their way when points come must get them too. */
export function followWith(events: EventCache): void {
  cache = events;
}

// --- jobs -------------------------------------------------------------------------------------------------------------

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

async function allTasks(job: string, signal: AbortSignal): Promise<Task[]> {
  const tasks: Task[] = [];
  for (;;) {
    const query = { offset: tasks.length, limit: PAGE, sort: 'number' as const };
    const page = await take(api.GET('/api/v1/jobs/{job}/tasks', { params: { path: { job }, query }, signal }));
    tasks.push(...page.items);
    if (page.items.length === 0 || tasks.length >= page.total) return tasks;
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

/** How the search stands. Asked for again while events of the job come. */
export function useSearchReport(job: string) {
  return useQuery({
    queryKey: keys.search(job),
    queryFn: ({ signal }) => take(api.GET('/api/v1/jobs/{job}/search', { params: { path: { job } }, signal })),
  });
}

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
  return cache ? cache.catchUp(curves, (task, name) => isOf(job, task) && metric.includes(name)) : curves;
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

// --- tasks ------------------------------------------------------------------------------------------------------------

export function useTask(task: string) {
  return useQuery({
    queryKey: keys.task(task),
    queryFn: ({ signal }) => take(api.GET('/api/v1/tasks/{task}', { params: { path: { task } }, signal })),
    // When the scheduler was last heard of its allocation is no event.
    refetchInterval: ({ state }) =>
      state.data?.allocation?.script && !state.data.allocation.ended_at ? SEEN_MS : false,
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
      return cache && attempt === undefined ? cache.catchUp(curves, wanted) : curves;
    },
    ...NO_SHARING,
  });
}

export interface LogPart {
  text: string;
  /** Bytes of the log: where this part begins and ends, and how large the log is. */
  start: number;
  end: number;
  size: number;
}

function logQuery(attempt: number | undefined, offset: number): string {
  return `?offset=${offset}${attempt ? `&attempt=${attempt}` : ''}`;
}

/** A range of a log; a negative offset counts from its end. */
export async function readLog(
  task: string,
  { attempt, offset, limit = 1_000_000 }: { attempt?: number; offset: number; limit?: number },
  signal?: AbortSignal,
): Promise<LogPart> {
  const url = `/api/v1/tasks/${encodeURIComponent(task)}/log${logQuery(attempt, offset)}&limit=${limit}`;
  const response = await request(url, { signal });
  const data = await response.arrayBuffer();
  const start = Number(response.headers.get('X-Log-Start') ?? 0);
  return {
    text: new TextDecoder().decode(data),
    start,
    end: start + data.byteLength,
    size: Number(response.headers.get('X-Log-Size') ?? data.byteLength),
  };
}

/** The text that is added to a log from `offset` on; ends when the attempt has ended. */
export async function* followLog(
  task: string,
  { attempt, offset }: { attempt?: number; offset: number },
  signal: AbortSignal,
): AsyncGenerator<string> {
  const url = `/api/v1/tasks/${encodeURIComponent(task)}/log/follow${logQuery(attempt, offset)}`;
  const reader = (await request(url, { signal })).body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

// --- the server -------------------------------------------------------------------------------------------------------

export function useNodes() {
  return useQuery({
    queryKey: keys.nodes(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/nodes', { signal })),
    refetchInterval: 5000,
  });
}

/** The machines with how busy they are, who uses them, and advice for what runs. */
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

/** How busy a machine and its GPUs were, so many minutes back. Points come closer the shorter it is. */
export function useLoadHistory(backend: string, node: string, minutes: number) {
  const query = { backend, node, minutes };
  return useQuery({
    queryKey: keys.loadHistory(backend, node, minutes),
    queryFn: ({ signal }) => take(api.GET('/api/v1/load/history', { params: { query }, signal })),
    refetchInterval: Math.min(Math.max(minutes * 200, 5000), 60_000),
    placeholderData: keepPreviousData,
    ...NO_SHARING,
  });
}

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

// --- submitting -------------------------------------------------------------------------------------------------------

/** Hyperparameters and the objective may be given as text, as a person writes them: the server reads it. */
export type SpecInput = Omit<JobSpec, 'params' | 'objective'> & {
  params?: Record<string, ParamSpace | string>;
  objective?: JobSpec['objective'] | string;
};

export interface Upload {
  spec: SpecInput;
  files: readonly ChosenFile[];
  code?: CodeInfo;
}

function form({ spec, files, code }: Upload): FormData {
  const data = new FormData();
  data.append('spec', JSON.stringify(spec));
  if (code) data.append('code', JSON.stringify(code));
  for (const { path, file } of files) data.append('files', file, path);
  return data;
}

async function post<T>(url: string, upload: Upload, signal?: AbortSignal): Promise<T> {
  return (await request(url, { method: 'POST', body: form(upload), signal })).json();
}

/** What a submission would do. For a query of its own: `useQuery({queryKey: ['preview', ...], queryFn})`. */
export function previewJob(upload: Upload, signal?: AbortSignal): Promise<Preview> {
  return post('/api/v1/jobs/preview', upload, signal);
}

/** The same, with what the scheduler says about it: that takes its time. */
export function checkJob(upload: Upload, signal?: AbortSignal): Promise<Preview> {
  return post('/api/v1/jobs/preview?check=true', upload, signal);
}

export function inspectScript(what: InspectRequest, signal?: AbortSignal) {
  return take(api.POST('/api/v1/scripts/inspect', { body: what, signal }));
}

export function useSubmit() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (upload: Upload) => post<JobDetail>('/api/v1/jobs', upload),
    onSuccess: (job) => {
      client.setQueryData(keys.job(job.id), job);
      client.invalidateQueries({ queryKey: ['jobs'] });
    },
  });
}

// --- acting -----------------------------------------------------------------------------------------------------------

function showTask(client: QueryClient, ids: readonly string[], change: Partial<Task>): void {
  const named = new Set(ids);
  // The event that says it has ended may come before the answer.
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

/** The job as it is after it was changed, where it is shown. */
function showJob(client: QueryClient, job: JobDetail): void {
  client.setQueryData(keys.job(job.id), job);
  client.invalidateQueries({ queryKey: ['jobs'] });
  client.invalidateQueries({ queryKey: ['task'] });
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

/** More of a search: more trials, more time, other values. */
export function useExtend(job: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: ExtendRequest) =>
      take(api.POST('/api/v1/jobs/{job}/extend', { params: { path: { job } }, body })),
    onSuccess: (changed) => {
      showJob(client, changed);
      client.invalidateQueries({ queryKey: ['search'] });
    },
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
