/** Filters live in the URL: a typed view of the search parameters, defaults left out. */

import { useCallback, useMemo, useRef } from 'react';
import { useLocation, useSearch } from 'wouter';

export type UrlValue = string | number | boolean | string[];
export type UrlState = Record<string, UrlValue>;

// A default written as '' or false stands for all texts or switches.
type Widened<T> = {
  [K in keyof T]: T[K] extends string ? string : T[K] extends number ? number : T[K] extends boolean ? boolean : T[K];
};

export function readState<T extends UrlState>(search: string, defaults: T): Widened<T> {
  const params = new URLSearchParams(search);
  const read = Object.entries(defaults).map(([name, fallback]) => [name, readValue(params, name, fallback)]);
  return Object.fromEntries(read) as Widened<T>;
}

function readValue(params: URLSearchParams, name: string, fallback: UrlValue): UrlValue {
  if (Array.isArray(fallback)) return params.has(name) ? params.getAll(name).filter(Boolean) : fallback;
  const text = params.get(name);
  if (text === null) return fallback;
  if (typeof fallback === 'boolean') return text === '1';
  if (typeof fallback === 'string') return text;
  const number = Number(text);
  return text.trim() !== '' && Number.isFinite(number) ? number : fallback;
}

/** The search string with the changes; parameters of others stay as they are. */
export function writeState(search: string, changes: Partial<UrlState>, defaults: UrlState): string {
  const params = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    params.delete(name);
    if (value === undefined || JSON.stringify(value) === JSON.stringify(defaults[name])) continue;
    if (Array.isArray(value)) {
      for (const one of value.length ? value : ['']) params.append(name, one);
    } else params.set(name, typeof value === 'boolean' ? (value ? '1' : '0') : String(value));
  }
  return params.toString();
}

/** `const [filter, setFilter] = useUrlState({ q: '', state: '' })`. Give `defaults` at module level. */
export function useUrlState<T extends UrlState>(defaults: T) {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const state = useMemo(() => readState(search, defaults), [search, defaults]);
  const place = useRef({ path, navigate });
  place.current = { path, navigate };
  const set = useCallback(
    (changes: Partial<Widened<T>>) => {
      // The address as it is now, not as it was rendered: two changes in one event must both count.
      const next = writeState(window.location.search, changes as Partial<UrlState>, defaults);
      place.current.navigate(place.current.path + (next ? `?${next}` : ''), { replace: true });
    },
    [defaults],
  );
  return [state, set] as const;
}
