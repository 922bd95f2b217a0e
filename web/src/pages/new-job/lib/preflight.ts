/** What to show of a look for what is missing. The server looks; this chooses, with what only the page knows. */

import type { Preflight } from '../../../api/types';
import type { FindLeftOut } from '../../../lib/files';

export type NamedFile = NonNullable<Preflight['files']>[number];

export interface LeftOut {
  named: NamedFile;
  /** Here, and left out: one click takes it along. */
  here: boolean;
}

/** A path that leads out of the folder that was submitted. */
export function leadsOut({ path }: NamedFile): boolean {
  return path.split('/').includes('..');
}

/** Files that are here and left out, and those that the program reads for sure. */
export async function leftOut(files: readonly NamedFile[], find: FindLeftOut | undefined): Promise<LeftOut[]> {
  const all = await Promise.all(
    files.map(async (named) => ({ named, here: !leadsOut(named) && (await find?.(named.path)) != null })),
  );
  return all.filter(({ named, here }) => here || named.read);
}

/** Why the job is not accepted as it is; null where nothing keeps it. */
export function heldBy(found: Preflight | null): string | null {
  return found?.held ?? null;
}
