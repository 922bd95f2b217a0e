/** The dashboard's view, as it stands in the address, and what it shows. */

import type { Job, JobFilters, SavedView, TaskCounts } from '../../api/types';
import { plural } from '../../lib/format';
import { STATES } from '../../parts/states';

export const PAGE_SIZE = 50;

export const DEFAULTS = { q: '', state: '', tag: '', owner: '', sort: '-created', page: 1 };
export type View = typeof DEFAULTS;

type SortKey = NonNullable<JobFilters['sort']>;

export const SORTS: readonly { value: SortKey; label: string }[] = [
  { value: '-created', label: 'Newest first' },
  { value: 'created', label: 'Oldest first' },
  { value: 'name', label: 'Name A–Z' },
  { value: '-name', label: 'Name Z–A' },
  { value: 'owner', label: 'Owner A–Z' },
  { value: '-owner', label: 'Owner Z–A' },
];

/** What is asked of the server; what an address has wrong is left out. */
export function toQuery(view: View): JobFilters {
  const query: JobFilters = { limit: PAGE_SIZE, offset: (pageOf(view) - 1) * PAGE_SIZE };
  const q = view.q.trim();
  const state = STATES.find((one) => one === view.state);
  const sort = SORTS.find(({ value }) => value === view.sort)?.value;
  if (q) query.q = q;
  if (state) query.state = state;
  if (view.tag) query.tag = view.tag;
  if (view.owner) query.owner = view.owner;
  if (sort && sort !== DEFAULTS.sort) query.sort = sort;
  return query;
}

export function pageOf({ page }: View): number {
  return Math.max(Math.floor(page), 1);
}

export function pageCount(total: number): number {
  return Math.max(Math.ceil(total / PAGE_SIZE), 1);
}

export function isFiltered({ q, state, tag, owner }: JobFilters): boolean {
  return [q, state, tag, owner].some((value) => value !== undefined);
}

/** `51–100 of 214 jobs`; `3 jobs` where one page holds them all. */
export function rangeText(total: number, offset: number, shown: number): string {
  if (total <= PAGE_SIZE || shown === 0) return plural(total, 'job');
  const [from, to] = [offset + 1, offset + shown].map((at) => at.toLocaleString('en-US'));
  return `${from}–${to} of ${plural(total, 'job')}`;
}

/**
 * The jobs in the order in which they were, those that have come since left out: rows do not move under the pointer.
 * `waiting` is how many were left out.
 */
export function holdOrder<T extends { id: string }>(
  fresh: readonly T[],
  known: readonly string[] | null,
): { shown: readonly T[]; waiting: number } {
  if (known === null) return { shown: fresh, waiting: 0 };
  const byId = new Map(fresh.map((item) => [item.id, item]));
  const shown = known.map((id) => byId.get(id)).filter((item) => item !== undefined);
  // A whole new list (another filter, another page) is not the one that is held.
  if (shown.length === 0) return { shown: fresh, waiting: 0 };
  return { shown, waiting: fresh.length - shown.length };
}

/** Rows from the one that was chosen last to this one, with Shift; else this one alone, on or off. */
export function select(
  chosen: ReadonlySet<string>,
  shown: readonly string[],
  id: string,
  from: string | null,
): Set<string> {
  const next = new Set(chosen);
  const [a, b] = [shown.indexOf(from ?? ''), shown.indexOf(id)];
  if (a >= 0 && b >= 0 && from !== id) {
    for (const one of shown.slice(Math.min(a, b), Math.max(a, b) + 1)) next.add(one);
  } else if (!next.delete(id)) next.add(id);
  return next;
}

/** `3 failed: CUDA out of memory`, with how many failed for other reasons. */
export function failureText({ failure, counts }: Pick<Job, 'failure' | 'counts'>): string | null {
  if (!failure) return null;
  const all = failure.others === 0;
  const count = (all ? (counts.error ?? failure.tasks) : failure.tasks).toLocaleString('en-US');
  return `${count} failed: ${failure.reason}${all ? '' : ' (others for other reasons)'}`;
}

/** The saved view that is shown now, if any. */
export function currentView(view: View, saved: readonly SavedView[]): SavedView | undefined {
  return saved.find((one) => NAMED.every((name) => (one[name] ?? DEFAULTS[name]) === view[name]));
}

/** What a saved view keeps of a view. */
export const NAMED = ['q', 'state', 'tag', 'owner', 'sort'] as const;

export function toView(saved: SavedView): Partial<View> {
  return Object.fromEntries(NAMED.map((name) => [name, saved[name] ?? DEFAULTS[name]]));
}

export function toSaved(name: string, { q, state, tag, owner, sort }: View): SavedView {
  return { name, q: q.trim(), state: STATES.find((one) => one === state) ?? null, tag, owner, sort };
}

/** `lowest val_loss` */
export function bestText({ objective, configurations }: Pick<Job, 'objective' | 'configurations'>): string {
  const mean = configurations == null ? '' : 'mean ';
  return `${objective.goal === 'max' ? 'highest' : 'lowest'} ${mean}${objective.metric}`;
}

/** `3 running and 40 waiting tasks`, null where there are none. */
export function unendedText({ running = 0, submitted = 0 }: TaskCounts): string | null {
  const parts = [
    running && `${running.toLocaleString('en-US')} running`,
    submitted && `${submitted.toLocaleString('en-US')} waiting`,
  ].filter(Boolean);
  return parts.length ? `${parts.join(' and ')} ${running + submitted === 1 ? 'task' : 'tasks'}` : null;
}

/** The row to go to from the one at `index`, by an arrow, Home or End; null for other keys. */
export function nextRow(key: string, index: number, count: number): number | null {
  const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: count - 1 }[key];
  return to === undefined ? null : Math.min(Math.max(to, 0), count - 1);
}
