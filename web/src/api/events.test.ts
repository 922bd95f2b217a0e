// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { EventStream, type StreamEvent } from './events';

class FakeSource {
  static made: FakeSource[] = [];
  onerror: ((event: Event) => void) | null = null;
  closed = false;
  private on = new Map<string, (event: Event) => void>();
  constructor(readonly url: string) {
    FakeSource.made.push(this);
  }
  addEventListener = (kind: string, act: unknown) => void this.on.set(kind, act as (event: Event) => void);
  close = () => {
    this.closed = true;
  };
  send(kind: string, id: number, data: object = {}) {
    this.on.get(kind)?.({ lastEventId: String(id), data: JSON.stringify({ kind, ...data }) } as MessageEvent);
  }
  fail = () => this.onerror?.(new Event('error'));
}

let got: StreamEvent[] = [];
const probe = vi.fn(async () => undefined);
const latest = () => FakeSource.made.at(-1) as FakeSource;

function start(): EventStream {
  const stream = new EventStream((events) => got.push(...events), {
    open: (url) => new FakeSource(url) as never,
    probe,
  });
  stream.start();
  return stream;
}

beforeEach(() => {
  vi.useFakeTimers();
  FakeSource.made = [];
  got = [];
  probe.mockClear();
});
afterEach(() => vi.useRealTimers());

it('hands events on in batches', () => {
  const stream = start();
  expect(stream.connection).toBe('connecting');
  latest().send('hello', 4);
  expect(stream.connection).toBe('open');
  latest().send('job', 5, { job: 'a', data: {} });
  latest().send('tasks', 6, { job: 'a', data: {} });
  expect(got).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(got.map((event) => event.kind)).toEqual(['job', 'tasks']);
  stream.stop();
});

it('comes back where it was, after growing delays', () => {
  const stream = start();
  latest().send('hello', 4);
  latest().send('job', 9, { job: 'a', data: {} });
  latest().fail();
  expect(stream.connection).toBe('reconnecting');
  expect(got).toHaveLength(1);
  expect(probe).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(400);
  expect(FakeSource.made.map((one) => one.url)).toEqual(['/api/v1/events', '/api/v1/events?last=9']);
  latest().fail();
  vi.advanceTimersByTime(400);
  expect(FakeSource.made).toHaveLength(2);
  vi.advanceTimersByTime(600);
  expect(FakeSource.made).toHaveLength(3);
  latest().send('hello', 9);
  expect(stream.connection).toBe('open');
  stream.stop();
});

it('says when events were missed', () => {
  const stream = start();
  latest().send('reset', 100);
  vi.advanceTimersByTime(200);
  expect(got).toEqual([{ kind: 'reset' }]);
  stream.stop();
  expect(latest().closed).toBe(true);
});

it('tries at once when the network is back', () => {
  const stream = start();
  latest().fail();
  window.dispatchEvent(new Event('online'));
  expect(FakeSource.made).toHaveLength(2);
  stream.stop();
  vi.advanceTimersByTime(60_000);
  expect(FakeSource.made).toHaveLength(2);
});
