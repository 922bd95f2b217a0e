/** Which task is under the pointer: shared by graph, table and other views without rendering them all anew. */

import { useState, useSyncExternalStore } from 'react';

export class Highlight {
  private current: string | null = null;
  private listeners = new Set<() => void>();

  get = (): string | null => this.current;

  set = (id: string | null): void => {
    if (id === this.current) return;
    this.current = id;
    for (const listener of this.listeners) listener();
  };

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}

export function useHighlight(): Highlight {
  return useState(() => new Highlight())[0];
}

export function useIsHighlighted(highlight: Highlight | undefined, id: string): boolean {
  const store = highlight ?? NONE;
  return useSyncExternalStore(store.subscribe, () => store.get() === id);
}

const NONE = new Highlight();
