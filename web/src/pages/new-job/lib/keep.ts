/** A form that was not sent yet: kept while the tab lives; the files only until the page is loaded anew. */

import type { ChosenFile, FindLeftOut } from '../../../lib/files';
import { type Draft, EMPTY } from './draft';

export interface Kept {
  draft: Draft;
  files: readonly ChosenFile[];
  ignored: number;
  /** Gives a file that was left out; missing where the files are gone. */
  find?: FindLeftOut | undefined;
  /** The names of the files, where the files themselves are gone. */
  names: readonly string[];
}

const inMemory = new Map<string, Kept>();

/** `source`: what the form was started from. */
function key(source: string): string {
  return `paddock.new-job.${source}`;
}

export function recall(source: string): Kept | null {
  const kept = inMemory.get(source);
  if (kept) return kept;
  try {
    const stored = JSON.parse(sessionStorage.getItem(key(source)) ?? 'null');
    if (!stored) return null;
    const draft = { ...EMPTY, ...stored.draft, resources: { ...EMPTY.resources, ...stored.draft?.resources } };
    return { draft, files: [], ignored: 0, names: stored.names ?? [] };
  } catch {
    return null;
  }
}

export function keep(source: string, kept: Kept): void {
  inMemory.set(source, kept);
  const names = kept.files.length ? kept.files.slice(0, 1000).map(({ path }) => path) : kept.names;
  try {
    sessionStorage.setItem(key(source), JSON.stringify({ draft: kept.draft, names }));
  } catch {
    // No room, or no storage: the memory has it.
  }
}

export function forget(source: string): void {
  inMemory.delete(source);
  try {
    sessionStorage.removeItem(key(source));
  } catch {
    // As above.
  }
}
