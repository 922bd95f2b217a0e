/** Events into the query cache: what is on the page moves without being fetched again. */

import type { Query, QueryClient } from '@tanstack/react-query';
import { appendNewer, mergeDeltas } from '../lib/curves';
import type { StreamEvent } from './events';
import { means } from './keys';
import type { Curve, NewPoints, Outline, Task, TaskDetail, TasksEvent } from './types';

const SUMMARY_MS = 1000;
const SEARCH_MS = 2000;
const QUEUE_MS = 2000;
const AGAIN_MS = 300;
const RECENT_MS = 15_000;

/** task -> what changed in it: all of it where its state did */
type Moved = ReadonlyMap<string, Partial<Task>>;

/** What events said in the last seconds, for answers of the server that were on their way meanwhile. */
interface Recent {
  at: number;
  job: string;
  moved: Moved;
  points: NewPoints;
}

export type Listener = (event: StreamEvent) => void;

export class EventCache {
  private summaries = new Later(SUMMARY_MS, (jobs) => this.refetchOf(['jobs', 'job'], jobs));
  /** Which tasks match a filter, and their order, may be others now: the server decides that. */
  private searches = new Later(SEARCH_MS, (jobs) => this.refetchOf(['search', 'order'], jobs));
  private queue = new Later(QUEUE_MS, (jobs) => this.refetchOf(['queue', 'gpus'], jobs));
  private recent: Recent[] = [];
  /** job -> how often its rows were forgotten */
  private forgotten = new Map<string, number>();
  private resets = 0;
  private again = new WeakSet<Query>();
  private listeners = new Set<Listener>();

  constructor(private readonly client: QueryClient) {}

  /** For notices: each event, after the cache has it. */
  listen = (listener: Listener): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  apply = (events: StreamEvent[]): void => {
    const stale = new Set<string>(); // fetched again once, however many events there are
    for (const event of events) {
      if (event.kind === 'reset') this.reset();
      else if (event.kind === 'removed') this.removed(event.job);
      else if (event.kind === 'notice') stale.add('notices');
      else if (event.kind === 'calendar') for (const what of event.data.what) stale.add(what);
      else {
        if (event.kind === 'tasks') this.tasks(event.job, event.data);
        else if (event.data.change === 'objective') this.judgedAnew(event.job);
        else if (event.data.change !== 'edited') this.adjusted(event.job);
        // The server computes counts, best value, time left and the state of the search: fetched, but not too often.
        this.summaries.add(event.job);
        this.searches.add(event.job);
        this.queue.add(event.job);
      }
      for (const listener of this.listeners) listener(event);
    }
    for (const what of stale) this.client.invalidateQueries({ queryKey: [what] });
  };

  /** Curves as they were fetched, with the points that may have come while they were on their way. */
  catchUp(curves: Curve[], wanted: (task: string, metric: string) => boolean): Curve[] {
    this.dropOld();
    return this.recent.reduce((known, { points }) => mergeDeltas(known, points, wanted, appendNewer), curves);
  }

  /** The tasks of a job as they were fetched, with what events have said of them since the fetch began. */
  catchUpTasks<T extends Outline>(job: string, tasks: T[], began: number, grows = true): T[] {
    const since = this.recent.filter((one) => one.at >= began && means(job, one.job));
    return since.reduce((known, { moved }) => withMoved(known, moved, grows), tasks);
  }

  /** The same for one task. */
  catchUpTask(task: TaskDetail, began: number): TaskDetail {
    const since = this.recent.filter((one) => one.at >= began).map(({ moved }) => moved.get(task.id));
    return Object.assign({}, task, ...since);
  }

  /** Moves on when rows of a job that are being fetched may be those of before an event. */
  timesForgotten(job: string): number {
    return this.resets + (this.forgotten.get(job) ?? 0);
  }

  private reset(): void {
    this.resets += 1;
    this.client.invalidateQueries();
  }

  private removed(job: string): void {
    for (const what of ['jobs', 'queue']) this.client.invalidateQueries({ queryKey: [what] });
    const ofJob = (query: Query) => query.queryKey[0] !== 'jobs' && concerns(query, job);
    this.client.invalidateQueries({ predicate: ofJob });
  }

  /** Held, released, limits, why it waits, a warning: what is said of the allocations of its tasks has changed, too. */
  private adjusted(job: string): void {
    this.client.invalidateQueries({ predicate: (query) => query.queryKey[0] === 'task' && concerns(query, job) });
  }

  /** Another objective: the best values of all tasks are others, and so is the choice of curves. */
  private judgedAnew(job: string): void {
    this.refetchTasks(job, ['tasks', 'objective']);
    this.adjusted(job);
    this.refetchCurves(job, null);
  }

  private tasks(job: string, data: TasksEvent['data']): void {
    if ('ids' in data) {
      if (data.change === 'stopping') this.mergeTasks(job, new Map(data.ids.map((id) => [id, { stopping: true }])));
      else if (data.change === 'noted' || data.change === 'resizing') this.noted(job, data.ids);
      else this.restarted(job, data.ids);
      return;
    }
    const again = new Set(Object.keys(data.reset ?? {}));
    this.mergeTasks(job, new Map([...heard(data.live), ...data.tasks.map((task) => [task.id, task] as const)]));
    if (data.points) this.mergePoints(job, data.points, again);
    if (again.size) this.forget(again);
    if (again.size || data.more) this.refetchCurves(job, data.more ? null : again);
  }

  private noted(job: string, ids: readonly string[]): void {
    this.refetchTasks(job, []);
    for (const query of this.of('task', ofAny(ids))) this.refetch(query);
  }

  /** A restart changes more than the event contains, so tasks and curves are fetched again. */
  private restarted(job: string, ids: readonly string[]): void {
    const named = new Set(ids);
    this.refetchTasks(job, ['tasks']);
    for (const query of this.of('task', ofAny(ids))) this.refetch(query);
    this.forget(named);
    this.refetchCurves(job, named);
  }

  private mergeTasks(job: string, moved: Moved): void {
    if (moved.size === 0) return;
    this.remember({ at: Date.now(), job, moved, points: {} });
    for (const query of this.of('tasks', (key) => means(key, job))) {
      const tasks = query.state.data as Outline[] | undefined;
      if (tasks) this.client.setQueryData(query.queryKey, withMoved(tasks, moved));
    }
    for (const query of this.of('rows', (key) => means(key, job))) {
      const rows = query.state.data as ReadonlyMap<string, Task> | undefined;
      const seen = [...moved].filter(([id]) => rows?.has(id));
      if (rows && seen.length) {
        const changed = seen.map(([id, change]) => [id, { ...(rows.get(id) as Task), ...change }] as const);
        this.client.setQueryData(query.queryKey, new Map([...rows, ...changed]));
      }
    }
    for (const query of this.of('task', ofAny([...moved.keys()]))) {
      const task = query.state.data as TaskDetail | undefined;
      if (task) this.client.setQueryData(query.queryKey, { ...task, ...moved.get(task.id) });
    }
    const whole = [...moved].filter(([, { state }]) => state).map(([id]) => id);
    for (const query of this.of('task', ofAny(whole))) this.refetch(query); // attempts, allocation: not in the event
    if (whole.length) this.client.invalidateQueries({ queryKey: ['nodes'] });
  }

  private mergePoints(job: string, points: NewPoints, except: Set<string>): void {
    const kept = Object.fromEntries(Object.entries(points).filter(([task]) => !except.has(task)));
    this.remember({ at: Date.now(), job, moved: new Map(), points: kept });
    for (const query of this.curves(job)) {
      // The last is the number of an attempt, whose curve rests; of a job, which of its tasks have curves.
      const [kind, id, metrics, limit, part] = query.queryKey as [string, string, string[] | null, number, unknown];
      const curves = query.state.data as Curve[] | undefined;
      const ofJob = kind === 'job-curves';
      if (!curves || (part != null && !ofJob)) continue;
      const drawn = part != null ? new Set(curves.map(({ task }) => task)) : null;
      const wanted = (task: string, metric: string) =>
        (metrics === null || metrics.includes(metric)) && (ofJob ? (drawn?.has(task) ?? true) : means(id, task));
      const merged = mergeDeltas(curves, kept, wanted);
      if (merged !== curves) this.client.setQueryData(query.queryKey, merged);
      // Far more points than were asked for: the server thins them out again.
      if (merged.some((curve) => curve.steps.length > 2 * limit)) this.refetch(query);
    }
    this.newMetrics(job, kept);
  }

  private remember(one: Recent): void {
    this.recent.push(one);
    this.dropOld();
  }

  private dropOld(): void {
    const since = Date.now() - RECENT_MS;
    while (this.recent[0] && this.recent[0].at < since) this.recent.shift();
  }

  private newMetrics(job: string, points: NewPoints): void {
    const names = new Set(Object.values(points).flatMap((metrics) => Object.keys(metrics)));
    for (const query of this.of('metric-names', (key) => means(key, job))) {
      const known = query.state.data as string[] | undefined;
      if (known && [...names].some((name) => !known.includes(name))) this.refetch(query);
    }
    for (const query of this.of('task', ofAny(Object.keys(points)))) {
      const task = query.state.data as TaskDetail | undefined;
      const reported = Object.keys((task && points[task.id]) ?? {});
      if (task && reported.some((name) => !task.metrics.includes(name))) this.refetch(query);
    }
  }

  /** Points of before a restart are not to be added to the curve that begins anew. */
  private forget(tasks: Set<string>): void {
    this.recent = this.recent.map((one) => ({
      ...one,
      points: Object.fromEntries(Object.entries(one.points).filter(([task]) => !tasks.has(task))),
    }));
  }

  private refetchCurves(job: string, tasks: Set<string> | null): void {
    for (const query of this.curves(job)) {
      const [kind, id] = query.queryKey;
      if (kind === 'job-curves' || tasks === null || [...tasks].some((task) => means(id, task))) this.refetch(query);
    }
  }

  /** A fetch that is under way may have read what was there before the event: another one follows it. */
  private refetch(query: Query): void {
    const fetch = () => {
      this.again.delete(query);
      this.client.invalidateQueries({ queryKey: query.queryKey, exact: true }, { cancelRefetch: false });
    };
    if (query.state.fetchStatus !== 'fetching' || !query.promise) fetch();
    else if (!this.again.has(query)) {
      this.again.add(query);
      const later = () => setTimeout(fetch, AGAIN_MS);
      query.promise.then(later, later);
    }
  }

  /** Rows are fetched one by one, in no query, so whoever fetches some has to ask whether they were forgotten. */
  private refetchTasks(job: string, kinds: string[]): void {
    this.forgotten.set(job, (this.forgotten.get(job) ?? 0) + 1);
    const shown = ['rows', ...kinds].flatMap((kind) => this.of(kind, (key) => means(key, job)));
    for (const query of shown) this.refetch(query);
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
      kinds.includes(String(kind)) && (kind === 'jobs' || kind === 'queue' || jobs.some((one) => means(key, one)));
    for (const query of this.client.getQueryCache().findAll({ predicate: shows })) this.refetch(query);
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

/** Tasks with what changed in them. A search makes tasks while the job runs: new ones come to the others, by number. */
function withMoved<T extends Outline>(known: T[], moved: Moved, grows = true): T[] {
  const merged = known.slice();
  const added: T[] = [];
  for (const [id, change] of moved) {
    const place = placeOf(known, id);
    if (place >= 0) merged[place] = { ...(known[place] as T), ...change };
    else if (change.state !== undefined) added.push(change as unknown as T);
  }
  return grows && added.length ? [...merged, ...added].sort((a, b) => a.number - b.number) : merged;
}

/** Tasks are numbered from 1 on, so nearly always this needs no search. */
function placeOf(known: readonly Outline[], id: string): number {
  const guess = Number(id.slice(id.lastIndexOf('-') + 1)) - 1;
  return known[guess]?.id === id ? guess : known.findIndex((task) => task.id === id);
}

/** What moves in a task was reported by its runner, unless the event reports that its runner is silent. */
function heard(live: Record<string, Partial<Task>>): [string, Partial<Task>][] {
  return Object.entries(live).map(([id, moved]) => [id, { no_word_since: null, ...moved }]);
}

function ofAny(ids: readonly string[]): (key: unknown) => boolean {
  return (key) => ids.some((id) => means(key, id));
}

function concerns(query: Query, job: string): boolean {
  const [, key] = query.queryKey;
  return typeof key === 'string' && means(key.split('-')[0], job);
}
