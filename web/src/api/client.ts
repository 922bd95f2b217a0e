/** The one way to the server: generated types, one shape of error, and a note when the token is no longer valid. */

import createClient from 'openapi-fetch';
import { useSyncExternalStore } from 'react';
import type { paths } from './schema';
import type { ErrorBody } from './types';

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** What is wrong by field, in the names of the request: `params.learning_rate` -> why. */
  readonly fields: Record<string, string>;

  constructor(status: number, body: Partial<ErrorBody>) {
    super(body.message ?? `The server answered ${status}.`);
    this.status = status;
    this.code = body.code ?? 'error';
    this.fields = body.fields ?? {};
  }
}

/** The server did not answer at all. */
export class Unreachable extends ApiError {
  constructor() {
    super(0, { code: 'unreachable', message: 'The server does not answer. It may be down, or the network is.' });
  }
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
    response = await fetch(url, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Unreachable();
  }
  if (response.status === 401) setSignedOut(true);
  if (!response.ok) throw new ApiError(response.status, await errorBody(response));
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

export async function signIn(token: string): Promise<void> {
  await request('/api/v1/session', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  setSignedOut(false);
}

export async function signOut(): Promise<void> {
  await request('/api/v1/session', { method: 'DELETE' });
  setSignedOut(true);
}
