/** The one event stream of the app: kept open, opened again when it breaks, its events handed on in small batches. */

import { useSyncExternalStore } from 'react';
import { request, withPageKey } from './client';
import type { ServerEvent } from './types';

export type Connection = 'connecting' | 'open' | 'reconnecting';

/** `reset`: events were missed, so what is known may be wrong. */
export type StreamEvent = ServerEvent | { kind: 'reset' };

const BATCH_MS = 120;
const DELAYS_MS = [300, 700, 1500, 3000, 6000, 12_000];
/** A hidden tab lets go of its connection, as browsers allow only six to a server. */
const HIDDEN_MS = 60_000;

type Source = Pick<EventSource, 'addEventListener' | 'close'> & { onerror: ((event: Event) => void) | null };

interface Options {
  open?: (url: string) => Source;
  /** Asked when the stream breaks: notices a token that is no longer valid. */
  probe?: () => Promise<unknown>;
}

export class EventStream {
  connection: Connection = 'connecting';
  /** Whether the stream has begun: what is fetched from now on can only be followed, never missed. */
  begun = false;

  private source: Source | null = null;
  private last: number | null = null;
  private failures = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private flushing: ReturnType<typeof setTimeout> | undefined;
  private hiding: ReturnType<typeof setTimeout> | undefined;
  private waiting: StreamEvent[] = [];
  private listeners = new Set<() => void>();
  private running = false;
  private readonly open: (url: string) => Source;
  private readonly probe: () => Promise<unknown>;

  constructor(
    private readonly handle: (events: StreamEvent[]) => void,
    { open = (url) => new EventSource(withPageKey(url)), probe = () => request('/api/v1/version') }: Options = {},
  ) {
    this.open = open;
    this.probe = probe;
  }

  start(): void {
    if (this.running) return;
    this.running = true;
    document.addEventListener('visibilitychange', this.onVisibility);
    window.addEventListener('online', this.wake);
    this.connect();
  }

  stop(): void {
    this.running = false;
    document.removeEventListener('visibilitychange', this.onVisibility);
    window.removeEventListener('online', this.wake);
    this.disconnect();
    this.last = null;
    this.begun = false;
    this.say('connecting');
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  private connect(): void {
    this.disconnect();
    const source = this.open(`/api/v1/events${this.last === null ? '' : `?last=${this.last}`}`);
    this.source = source;
    const on = (kind: string, act: (message: MessageEvent<string>) => void) =>
      source.addEventListener(kind, (event) => this.source === source && act(event as MessageEvent<string>));
    on('hello', (message) => this.greeted(message, false));
    on('reset', (message) => this.greeted(message, true));
    for (const kind of ['job', 'tasks', 'removed', 'notice', 'calendar']) on(kind, (message) => this.take(message));
    source.onerror = () => this.source === source && this.failed();
  }

  private disconnect(): void {
    clearTimeout(this.retry);
    clearTimeout(this.flushing);
    this.flush();
    this.source?.close();
    this.source = null;
  }

  private greeted(message: MessageEvent<string>, missed: boolean): void {
    this.remember(message);
    this.failures = 0;
    this.begun = true;
    this.say('open');
    if (missed) this.push({ kind: 'reset' });
  }

  private take(message: MessageEvent<string>): void {
    this.remember(message);
    this.push(JSON.parse(message.data) as ServerEvent);
  }

  private remember(message: MessageEvent<string>): void {
    if (/^\d+$/.test(message.lastEventId)) this.last = Number(message.lastEventId);
  }

  private push(event: StreamEvent): void {
    this.waiting.push(event);
    if (this.waiting.length === 1) this.flushing = setTimeout(() => this.flush(), BATCH_MS);
  }

  private flush(): void {
    const events = this.waiting;
    this.waiting = [];
    if (events.length) this.handle(events);
  }

  private failed(): void {
    this.disconnect();
    this.say('reconnecting');
    const delay = DELAYS_MS[Math.min(this.failures, DELAYS_MS.length - 1)] as number;
    this.failures += 1;
    // Not all browsers of a lab at the same moment.
    this.retry = setTimeout(() => this.connect(), delay * (0.8 + 0.4 * Math.random()));
    this.probe().catch(() => {});
  }

  private wake = (): void => {
    if (!this.running || (this.source && this.connection === 'open')) return;
    this.failures = 0;
    this.connect();
  };

  private onVisibility = (): void => {
    clearTimeout(this.hiding);
    const wantsNotices = typeof Notification !== 'undefined' && Notification.permission === 'granted';
    if (!document.hidden) this.wake();
    else if (!wantsNotices) this.hiding = setTimeout(() => this.disconnect(), HIDDEN_MS);
  };

  private say(connection: Connection): void {
    this.connection = connection;
    for (const listener of this.listeners) listener();
  }
}

export function useConnection(stream: EventStream): Connection {
  return useSyncExternalStore(stream.subscribe, () => stream.connection);
}
