/** Events into the query cache: what is on the page moves without being fetched again. */

import type { Query, QueryClient } from '@tanstack/react-query';
import { appendNewer, type Deltas, mergeDeltas } from '../lib/curves';
import type { Live, StreamEvent, TasksData } from './events';
import { means } from './keys';
import type { Curve, Task, TaskDetail } from './types';

const SUMMARY_MS = 1000;
const SEARCH_MS = 2000;
const RECENT_MS = 15_000;

export type Listener = (event: StreamEvent) => void;

export class EventCache {
  private summaries = new Later(SUMMARY_MS, (jobs) => this.refetchOf(['jobs', 'job'], jobs));
  private searches = new Later(SEARCH_MS, (jobs) => this.refetchOf(['search'], jobs));
  private recent: { at: number; points: Deltas }[] = [];
  private listeners = new Set<Listener>();

  constructor(private readonly client: QueryClient) {}

  /** For notices: each event, after the cache has it. */
  listen = (listener: Listener): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  apply = (events: StreamEvent[]): void => {
    for (const event of events) {
      if (event.kind === 'reset') this.client.invalidateQueries();
      else if (event.kind === 'removed') this.removed(event.job);
      else {
        if (event.kind === 'tasks') this.tasks(event.job, event.data);
        else if (event.data.change !== 'edited') this.adjusted(event.job);
        // Counts, best value, time left and how the search stands are the server's to say: asked for, but not too often.
        this.summaries.add(event.job);
        this.searches.add(event.job);
      }
      for (const listener of this.listeners) listener(event);
    }
  };

  /** Curves as they were fetched, with the points that may have come while they were on their way. */
  catchUp(curves: Curve[], wanted: (task: string, metric: string) => boolean): Curve[] {
    const since = Date.now() - RECENT_MS;
    this.recent = this.recent.filter(({ at }) => at >= since);
    return this.recent.reduce((known, { points }) => mergeDeltas(known, points, wanted, appendNewer), curves);
  }

  private removed(job: string): void {
    this.client.invalidateQueries({ queryKey: ['jobs'] });
    const ofJob = (query: Query) => query.queryKey[0] !== 'jobs' && concerns(query, job);
    this.client.invalidateQueries({ predicate: ofJob });
  }

  /** Held, released, limits, why it waits, a warning: what is said of the allocations of its tasks has changed, too. */
  private adjusted(job: string): void {
    this.client.invalidateQueries({ predicate: (query) => query.queryKey[0] === 'task' && concerns(query, job) });
  }

  private tasks(job: string, data: TasksData): void {
    const named = data.ids ?? [];
    this.mergeTasks(job, new Map((data.tasks ?? []).map((task) => [task.id, task])), heard(data.live ?? {}));
    if (named.length) this.asked(job, named, data.change);
    const again = new Set([...Object.keys(data.reset ?? {}), ...(data.change === 'restarted' ? named : [])]);
    if (data.points) this.mergePoints(job, data.points, again);
    if (again.size) this.forget(again);
    if (again.size || data.more) this.refetchCurves(job, data.more ? null : again);
  }

  private mergeTasks(job: string, whole: Map<string, Task>, live: Record<string, Live>): void {
    const update = <T extends Task>(task: T): T => {
      const known = whole.get(task.id) ?? live[task.id];
      return known ? { ...task, ...known } : task;
    };
    if (whole.size || Object.keys(live).length) {
      for (const query of this.of('tasks', (key) => means(key, job))) {
        const tasks = query.state.data as Task[] | undefined;
        if (tasks) this.client.setQueryData(query.queryKey, withNew(tasks.map(update), whole));
      }
    }
    for (const query of this.of('task', (key) =>
      [...whole.keys(), ...Object.keys(live)].some((id) => means(key, id)),
    )) {
      const task = query.state.data as TaskDetail | undefined;
      if (!task) continue;
      this.client.setQueryData(query.queryKey, update(task));
      if (whole.has(task.id)) this.client.invalidateQueries({ queryKey: query.queryKey, exact: true });
    }
    if (whole.size) this.client.invalidateQueries({ queryKey: ['nodes'] });
  }

  /** Somebody asked to stop or restart tasks: at once for a stop, fetched for a restart, which changes more. */
  private asked(job: string, ids: string[], change: string | undefined): void {
    if (change === 'stopping') {
      this.mergeTasks(job, new Map(), Object.fromEntries(ids.map((id) => [id, { stopping: true }])));
      return;
    }
    const known = new Set(ids);
    this.client.invalidateQueries({ predicate: (q) => q.queryKey[0] === 'tasks' && means(q.queryKey[1], job) });
    this.client.invalidateQueries({
      predicate: (q) => q.queryKey[0] === 'task' && [...known].some((id) => means(q.queryKey[1], id)),
    });
  }

  private mergePoints(job: string, points: Deltas, except: Set<string>): void {
    const kept = Object.fromEntries(Object.entries(points).filter(([task]) => !except.has(task)));
    this.recent.push({ at: Date.now(), points: kept });
    this.dropOld();
    for (const query of this.curves(job)) {
      const [kind, id, metrics, limit, attempt] = query.queryKey as [string, string, string[] | null, number, unknown];
      const curves = query.state.data as Curve[] | undefined;
      if (!curves || (attempt !== null && attempt !== undefined)) continue;
      const wanted = (task: string, metric: string) =>
        (metrics === null || metrics.includes(metric)) && (kind === 'job-curves' || means(id, task));
      const merged = mergeDeltas(curves, kept, wanted);
      if (merged !== curves) this.client.setQueryData(query.queryKey, merged);
      // Far more points than were asked for: the server thins them out again.
      if (merged.some((curve) => curve.steps.length > 2 * limit)) this.refetch(query);
    }
    this.newMetrics(job, kept);
  }

  private dropOld(): void {
    const since = Date.now() - RECENT_MS;
    while (this.recent[0] && this.recent[0].at < since) this.recent.shift();
  }

  private newMetrics(job: string, points: Deltas): void {
    const names = new Set(Object.values(points).flatMap((metrics) => Object.keys(metrics)));
    for (const query of this.of('metric-names', (key) => means(key, job))) {
      const known = query.state.data as string[] | undefined;
      if (known && [...names].some((name) => !known.includes(name))) this.refetch(query);
    }
    for (const query of this.of('task', (key) => Object.keys(points).some((id) => means(key, id)))) {
      const task = query.state.data as TaskDetail | undefined;
      const reported = Object.keys((task && points[task.id]) ?? {});
      if (task && reported.some((name) => !task.metrics.includes(name))) this.refetch(query);
    }
  }

  /** Points of before a restart are not to be added to the curve that begins anew. */
  private forget(tasks: Set<string>): void {
    this.recent = this.recent.map(({ at, points }) => ({
      at,
      points: Object.fromEntries(Object.entries(points).filter(([task]) => !tasks.has(task))),
    }));
  }

  private refetchCurves(job: string, tasks: Set<string> | null): void {
    for (const query of this.curves(job)) {
      const [kind, id] = query.queryKey;
      if (kind === 'job-curves' || tasks === null || [...tasks].some((task) => means(id, task))) this.refetch(query);
    }
  }

  private refetch(query: Query): void {
    this.client.invalidateQueries({ queryKey: query.queryKey, exact: true }, { cancelRefetch: false });
  }

  private curves(job: string): Query[] {
    const ofTask = (key: unknown) => typeof key === 'string' && means(key.split('-')[0], job);
    return [...this.of('job-curves', (key) => means(key, job)), ...this.of('task-curves', ofTask)];
  }

  private of(kind: string, matches: (key: unknown) => boolean): Query[] {
    return this.client.getQueryCache().findAll({
      predicate: ({ queryKey }) => queryKey[0] === kind && matches(queryKey[1]),
    });
  }

  private refetchOf(kinds: string[], jobs: string[]): void {
    const shows = ({ queryKey: [kind, key] }: Query) =>
      kinds.includes(String(kind)) && (kind === 'jobs' || jobs.some((one) => means(key, one)));
    this.client.invalidateQueries({ predicate: shows }, { cancelRefetch: false });
  }
}

/** Jobs are gathered, and handed on together after a while. */
class Later {
  private waiting = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly delay: number,
    private readonly act: (jobs: string[]) => void,
  ) {}

  add(job: string): void {
    this.waiting.add(job);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      const jobs = [...this.waiting];
      this.waiting.clear();
      this.act(jobs);
    }, this.delay);
  }
}

/** A search makes tasks while the job runs: those that were not known come to the others, by number. */
function withNew(known: Task[], whole: ReadonlyMap<string, Task>): Task[] {
  const ids = new Set(known.map(({ id }) => id));
  const added = [...whole.values()].filter(({ id }) => !ids.has(id));
  return added.length ? [...known, ...added].sort((a, b) => a.number - b.number) : known;
}

/** What moves in a task was said by its runner, unless it says itself that there is no word. */
function heard(live: Record<string, Live>): Record<string, Live> {
  return Object.fromEntries(Object.entries(live).map(([id, moved]) => [id, { no_word_since: null, ...moved }]));
}

function concerns(query: Query, job: string): boolean {
  const [, key] = query.queryKey;
  return typeof key === 'string' && means(key.split('-')[0], job);
}
