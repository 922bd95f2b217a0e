import { useSyncExternalStore } from 'react';
import { absolute, ago, duration, secondsBetween } from '../lib/format';

// One clock for the page, running only while somebody looks at it.
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const one of listeners) one();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** The time, each second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** `5 min ago`; the absolute time in the user's zone on hover. */
export function RelativeTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={absolute(at)} style={{ whiteSpace: 'nowrap' }}>
      {ago(at, Math.max(useNow(), Date.now() - 1000))}
    </time>
  );
}

/** How long something took, or has been running. */
export function Elapsed({ from, to }: { from: string | null | undefined; to: string | null | undefined }) {
  return to ? duration(secondsBetween(from, to)) : <Running from={from} />;
}

function Running({ from }: { from: string | null | undefined }) {
  const seconds = secondsBetween(from, null, useNow());
  return duration(seconds === null ? null : Math.floor(seconds));
}
