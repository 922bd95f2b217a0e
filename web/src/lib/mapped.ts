/** Tasks of a map have files in place of the number of their part. */

import type { MapPart, Outline, Task } from '../api/types';

/** The same task as long as it is the same: what is made of it is not made anew. */
const named = new WeakMap<Outline, Outline>();

export function withFiles<T extends Outline>(task: T, parts: readonly MapPart[]): T {
  const part = parts[Number(task.params.part) - 1];
  if (!part) return task;
  const known = (named.get(task) as T | undefined) ?? { ...task, params: fileParams(part) };
  named.set(task, known);
  return known;
}

/** The first file, and how many more there are: `in/a.jpg (+49)`. */
export function fileParams({ input, output, files }: MapPart): Task['params'] {
  const more = files > 1 ? ` (+${(files - 1).toLocaleString('en-US')})` : '';
  return { input: input + more, ...(output == null ? {} : { output: output + more }) };
}
