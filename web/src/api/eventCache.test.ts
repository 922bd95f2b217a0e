import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { beforeEach, expect, it, vi } from 'vitest';
import { EventCache } from './eventCache';
import { keys } from './keys';
import type { Curve, ServerEvent, Task, TaskDetail, TasksUpdate } from './types';

let client: QueryClient;
let cache: EventCache;

const task = (number: number, more: Partial<Task> = {}): Task => ({
  id: `job1-${number}`,
  job: 'job1',
  number,
  owner: 'me',
  params: {},
  state: 'running',
  attempt: 1,
  trial: number,
  created_at: '2026-01-01T00:00:00Z',
  ...more,
});
const curve = (id: string, metric: string): Curve => ({
  task: id,
  metric,
  steps: [1],
  values: [1],
  times: [],
  total: 1,
});
const sent = { id: 1, at: '2026-01-01T00:00:00Z', job: 'job1' };
const update = (data: Partial<TasksUpdate>): ServerEvent => ({
  ...sent,
  kind: 'tasks',
  data: { tasks: [], live: {}, ...data },
});
const requested = (change: 'stopping' | 'restarted'): ServerEvent => ({
  ...sent,
  kind: 'tasks',
  data: { change, ids: ['job1-1'] },
});
const stale = (key: readonly unknown[]) => client.getQueryState(key)?.isInvalidated;

beforeEach(() => {
  client = new QueryClient();
  cache = new EventCache(client);
});

it('merges whole tasks and what moves', () => {
  client.setQueryData(keys.tasks('job1'), [task(1), task(2), task(3)]);
  const before = client.getQueryData<Task[]>(keys.tasks('job1'));
  cache.apply([update({ tasks: [task(1, { state: 'finished' })], live: { 'job1-2': { epoch: 7 } } })]);
  const after = client.getQueryData<Task[]>(keys.tasks('job1'));
  expect(after?.map(({ state, epoch }) => [state, epoch])).toEqual([
    ['finished', undefined],
    ['running', 7],
    ['running', undefined],
  ]);
  expect(after?.[2]).toBe(before?.[2]);
});

it('forgets that there was no word as soon as something moves, but not when somebody asks to stop', () => {
  const since = '2026-01-01T10:00:00Z';
  client.setQueryData(keys.tasks('job1'), [task(1), task(2)]);
  const shown = () => client.getQueryData<Task[]>(keys.tasks('job1'))?.map((one) => one.no_word_since);
  const both = { 'job1-1': { no_word_since: since }, 'job1-2': { no_word_since: since } };
  cache.apply([update({ live: both })]);
  expect(shown()).toEqual([since, since]);
  cache.apply([requested('stopping')]);
  expect(shown()).toEqual([since, since]);
  cache.apply([update({ live: { 'job1-2': { epoch: 8 } } })]);
  expect(shown()).toEqual([since, null]);
});

it('takes up tasks that a search made since', () => {
  client.setQueryData(keys.tasks('job1'), [task(1), task(3)]);
  cache.apply([update({ tasks: [task(4), task(2, { state: 'submitted' })] })]);
  const after = client.getQueryData<Task[]>(keys.tasks('job1'));
  expect(after?.map(({ number, state }) => [number, state])).toEqual([
    [1, 'running'],
    [2, 'submitted'],
    [3, 'running'],
    [4, 'running'],
  ]);
});

it('asks how the search stands at most every two seconds', () => {
  vi.useFakeTimers();
  try {
    client.setQueryData(keys.search('job1'), {});
    client.setQueryData(keys.search('other'), {});
    cache.apply([update({ tasks: [task(1)] })]);
    vi.advanceTimersByTime(1900);
    expect(stale(keys.search('job1'))).toBe(false);
    vi.advanceTimersByTime(200);
    expect([stale(keys.search('job1')), stale(keys.search('other'))]).toEqual([true, false]);
  } finally {
    vi.useRealTimers();
  }
});

it('shows that a stop is under way, and fetches after a restart', () => {
  client.setQueryData(keys.tasks('job1'), [task(1)]);
  cache.apply([requested('stopping')]);
  expect(client.getQueryData<Task[]>(keys.tasks('job1'))?.[0]?.stopping).toBe(true);
  client.setQueryData(keys.jobCurves('job1', ['loss'], 300, null), [curve('job1-1', 'loss')]);
  cache.apply([requested('restarted')]);
  expect(stale(keys.tasks('job1'))).toBe(true);
  expect(stale(keys.jobCurves('job1', ['loss'], 300, null))).toBe(true);
});

it('adds points to the curves of jobs and tasks, also under a shortened id', () => {
  client.setQueryData(keys.jobCurves('jo', ['loss'], 300, null), [curve('job1-1', 'loss')]);
  client.setQueryData(keys.taskCurves('job1-1', null, 300, null), [curve('job1-1', 'loss')]);
  client.setQueryData(keys.taskCurves('job1-1', null, 300, 1), [curve('job1-1', 'loss')]);
  client.setQueryData(keys.taskCurves('job1-2', null, 300, null), [curve('job1-2', 'loss')]);
  cache.apply([update({ points: { 'job1-1': { loss: [[2, 0.5]], acc: [[2, 0.9]] } } })]);
  const values = (key: readonly unknown[]) => client.getQueryData<Curve[]>(key)?.map((one) => [one.metric, one.values]);
  expect(values(keys.jobCurves('jo', ['loss'], 300, null))).toEqual([['loss', [1, 0.5]]]);
  expect(values(keys.taskCurves('job1-1', null, 300, null))).toEqual([
    ['loss', [1, 0.5]],
    ['acc', [0.9]],
  ]);
  expect(values(keys.taskCurves('job1-1', null, 300, 1))).toEqual([['loss', [1]]]);
  expect(values(keys.taskCurves('job1-2', null, 300, null))).toEqual([['loss', [1]]]);
});

it('gives curves that were on their way the points of meanwhile, and none of before a restart', () => {
  const all = () => true;
  cache.apply([update({ points: { 'job1-1': { loss: [[2, 0.5]] } } })]);
  expect(cache.catchUp([curve('job1-1', 'loss')], all)[0]?.values).toEqual([1, 0.5]);
  cache.apply([update({ reset: { 'job1-1': ['loss'] } })]);
  expect(cache.catchUp([curve('job1-1', 'loss')], all)[0]?.values).toEqual([1]);
});

it('gives tasks that were on their way what events have said meanwhile', () => {
  const began = Date.now();
  cache.apply([update({ tasks: [task(1, { state: 'finished' })], live: { 'job1-2': { epoch: 7 } } })]);
  cache.apply([requested('stopping')]);
  const fetched = [task(1), task(2), task(3)]; // read before all that was written
  const states = cache
    .catchUpTasks('job1', fetched, began)
    .map(({ state, epoch, stopping }) => [state, epoch, stopping]);
  expect(states).toEqual([
    ['finished', undefined, true],
    ['running', 7, undefined],
    ['running', undefined, undefined],
  ]);
  expect(cache.catchUpTasks('other', [task(1)], began)[0]?.state).toBe('running');
  expect(cache.catchUpTasks('job1', [task(1)], Date.now() + 1)[0]?.state).toBe('running');
  expect(cache.catchUpTask({ ...task(2), metrics: [] } as unknown as TaskDetail, began).epoch).toBe(7);
});

it.each([
  ['a restart', keys.tasks('job1'), requested('restarted')],
  ['a state', keys.task('job1-1'), update({ tasks: [task(1, { state: 'finished' })] })],
  ['curves that begin anew', keys.jobCurves('job1', ['loss'], 300, null), update({ reset: { 'job1-1': ['loss'] } })],
])('fetches again after %s, also when a fetch from before it is still under way', async (_, queryKey, event) => {
  vi.useFakeTimers();
  try {
    const answers: ((data: unknown) => void)[] = [];
    const queryFn = () => new Promise((resolve) => answers.push(resolve));
    const stop = new QueryObserver(client, { queryKey, queryFn }).subscribe(() => {});
    cache.apply([event, event]);
    expect(answers).toHaveLength(1);
    answers[0]?.([]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(answers).toHaveLength(2);
    answers[1]?.([]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(answers).toHaveLength(2);
    stop();
  } finally {
    vi.useRealTimers();
  }
});

it('fetches again what it was not told', () => {
  client.setQueryData(keys.metricNames('job1'), ['loss']);
  client.setQueryData(keys.task('job1-1'), { ...task(1), metrics: ['loss'] } as TaskDetail);
  client.setQueryData(keys.jobCurves('job1', ['loss'], 300, null), [curve('job1-1', 'loss')]);
  cache.apply([update({ points: { 'job1-1': { acc: [[1, 1]] } } })]);
  expect(stale(keys.metricNames('job1'))).toBe(true);
  expect(stale(keys.task('job1-1'))).toBe(true);
  expect(stale(keys.jobCurves('job1', ['loss'], 300, null))).toBe(false);
  cache.apply([update({ more: true })]);
  expect(stale(keys.jobCurves('job1', ['loss'], 300, null))).toBe(true);
});

it('fetches the job and its tasks when it is held, waits for something else, has a warning or shares GPUs', () => {
  vi.useFakeTimers();
  try {
    for (const change of ['held', 'released', 'limits', 'waits', 'warned', 'packing'] as const) {
      client.setQueryData(keys.job('job1'), {});
      client.setQueryData(keys.jobs({}), {});
      client.setQueryData(keys.task('job1-1'), { ...task(1), metrics: [] });
      client.setQueryData(keys.task('other-1'), { ...task(1), metrics: [] });
      cache.apply([{ ...sent, kind: 'job', data: { change } }]);
      vi.advanceTimersByTime(1500);
      expect([change, stale(keys.job('job1')), stale(keys.jobs({}))]).toEqual([change, true, true]);
      expect([stale(keys.task('job1-1')), stale(keys.task('other-1'))]).toEqual([true, false]);
    }
  } finally {
    vi.useRealTimers();
  }
});

it('invalidates everything after a gap', () => {
  client.setQueryData(keys.nodes(), []);
  cache.apply([{ kind: 'reset' }]);
  expect(stale(keys.nodes())).toBe(true);
});

it('changes rows in sight by id, and fetches none anew', () => {
  const first = task(1);
  client.setQueryData(keys.rows('job1'), new Map([[first.id, first]]));
  cache.apply([update({ tasks: [task(2, { state: 'finished' })], live: { 'job1-1': { epoch: 7 } } })]);
  const rows = client.getQueryData<Map<string, Task>>(keys.rows('job1'));
  expect([...(rows?.keys() ?? [])]).toEqual(['job1-1']);
  expect(rows?.get('job1-1')?.epoch).toBe(7);
  expect(stale(keys.rows('job1'))).toBe(false);
  cache.apply([requested('restarted')]);
  expect(stale(keys.rows('job1'))).toBe(true);
});

it('does not walk through ten thousand tasks to change one', () => {
  const many = Array.from({ length: 10_000 }, (_, i) => task(i + 1));
  client.setQueryData(keys.tasks('job1'), many);
  cache.apply([update({ live: { 'job1-9000': { epoch: 3 } } })]);
  const after = client.getQueryData<Task[]>(keys.tasks('job1')) ?? [];
  expect(after[8999]?.epoch).toBe(3);
  expect(after.filter((one, i) => one !== many[i])).toHaveLength(1);
});

it('asks for the order anew after a while when tasks change', () => {
  vi.useFakeTimers();
  const key = keys.order('job1', { q: 'adam', state: [] }, '-best');
  client.setQueryData(key, [2, 1]);
  cache.apply([update({ live: { 'job1-1': { epoch: 7 } } })]);
  expect(stale(key)).toBe(false);
  vi.advanceTimersByTime(2500);
  expect(stale(key)).toBe(true);
  vi.useRealTimers();
});

it('adds points only to the curves that are drawn where a job has too many', () => {
  const chosen = { q: '', state: [], numbers: '' };
  const key = keys.jobCurves('job1', ['loss'], 100, chosen);
  client.setQueryData(key, [curve('job1-1', 'loss')]);
  const points = { 'job1-1': { loss: [[2, 0.5]] }, 'job1-2': { loss: [[2, 0.5]] } } as TasksUpdate['points'];
  cache.apply([update({ points })]);
  const curves = client.getQueryData<Curve[]>(key);
  expect(curves?.map((one) => [one.task, one.steps])).toEqual([['job1-1', [1, 2]]]);
});

it('fetches once what many events of one moment say is stale', () => {
  const fetched = vi.spyOn(client, 'invalidateQueries');
  const changed: ServerEvent = { ...sent, job: null, kind: 'calendar', data: { what: ['reservations', 'violations'] } };
  cache.apply(Array.from({ length: 60 }, () => changed));
  expect(fetched.mock.calls.map(([filters]) => filters?.queryKey)).toEqual([['reservations'], ['violations']]);
});
