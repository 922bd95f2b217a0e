/** The one way to the server: generated types, one shape of error, and a note when the token is no longer valid. */

import createClient from 'openapi-fetch';
import { useSyncExternalStore } from 'react';
import type { paths } from './schema';
import type { BookingResult, ErrorBody, SignedIn, SignIn } from './types';

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** What is wrong by field, in the names of the request: `params.learning_rate` -> why. */
  readonly fields: Record<string, string>;
  /** When to try again, in milliseconds since 1970, where the server names a time. */
  readonly retryAt: number | null;
  /** Of a reservation that was refused: why, and what is free. */
  readonly booking: BookingResult | null;

  constructor(status: number, body: Partial<ErrorBody>, retrySeconds: string | null = null) {
    super(body.message ?? `The server answered ${status}.`);
    this.status = status;
    this.code = body.code ?? 'error';
    this.fields = body.fields ?? {};
    this.booking = body.booking ?? null;
    this.retryAt = retrySeconds && /^\d+$/.test(retrySeconds) ? Date.now() + Number(retrySeconds) * 1000 : null;
  }
}

/** The server did not answer at all. */
export class Unreachable extends ApiError {
  constructor() {
    super(0, {
      code: 'unreachable',
      message: 'The server does not answer: it or the network may be down. Try again in a minute.',
    });
  }
}

/** The page's own key: a browser sends the cookie to every port of a host, but keeps this for one. */
const PAGE_KEY = 'paddock-page';
let held = '';

function pageKey(): string {
  try {
    return localStorage.getItem(PAGE_KEY) ?? held; // another tab may have signed in anew
  } catch {
    return held; // a browser that keeps nothing: the token is asked for again when the page is loaded anew
  }
}

function keep(key: string): void {
  held = key;
  try {
    localStorage.setItem(PAGE_KEY, key);
  } catch {
    // As above.
  }
}

/** The link with the token leads here with `#page=KEY`: kept, and taken out of the address bar. */
export function keepPageKey(): void {
  const given = /^#page=([0-9a-f]+)$/.exec(location.hash)?.[1];
  if (!given) return;
  keep(given);
  history.replaceState(history.state, '', location.pathname + location.search);
}

/** An address for what sends no header of ours: the event stream, and links to files. */
export function withPageKey(url: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}page=${pageKey()}`;
}

let signedOut = false;
const listeners = new Set<() => void>();

export function setSignedOut(value: boolean): void {
  if (value === signedOut) return;
  signedOut = value;
  for (const listener of listeners) listener();
}

export function useSignedOut(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => signedOut,
  );
}

/** fetch, with our errors. For what is no JSON: logs and uploads. */
export async function request(url: string | Request, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    const sent = new Request(url, init);
    sent.headers.set('X-Paddock-Page', pageKey());
    response = await fetch(sent);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Unreachable();
  }
  if (response.status === 401) setSignedOut(true);
  if (!response.ok) {
    throw new ApiError(response.status, await errorBody(response), response.headers.get('Retry-After'));
  }
  return response;
}

async function errorBody(response: Response): Promise<Partial<ErrorBody>> {
  try {
    return (await response.json()).error ?? {};
  } catch {
    return {};
  }
}

export const api = createClient<paths>({
  fetch: (given: Request) => request(given),
  querySerializer: { array: { style: 'form', explode: true } },
});

/** The data of an answer; errors were thrown by `request`. */
export async function take<T>(answer: Promise<{ data?: T }>): Promise<T> {
  return (await answer).data as T;
}

/** With the name and password of an account, or with the server's token. */
export async function signIn(body: SignIn): Promise<void> {
  enter(await take(api.POST('/api/v1/session', { body })));
}

/** A session has begun, and this browser has its cookie. */
export function enter({ page }: SignedIn): void {
  keep(page);
  setSignedOut(false);
}

/** Calls back when another tab has signed in or out: the cookie is that of the other session now. */
export function onOtherTab(act: () => void): () => void {
  const listener = (event: StorageEvent) => event.key === PAGE_KEY && act();
  window.addEventListener('storage', listener);
  return () => window.removeEventListener('storage', listener);
}

export async function signOut(): Promise<void> {
  await request('/api/v1/session', { method: 'DELETE' });
  keep('');
  setSignedOut(true);
}
