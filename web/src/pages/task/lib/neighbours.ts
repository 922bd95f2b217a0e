/** The tasks before and after one, by number. */

export interface Neighbours {
  previous: string | null;
  next: string | null;
}

/** Numbers of a job's tasks begin at 1 and have no gaps. */
export function neighbours(task: { id: string; number: number }, total: number): Neighbours {
  const id = (number: number) => task.id.replace(/\d+$/, String(number));
  return {
    previous: task.number > 1 ? id(task.number - 1) : null,
    next: task.number < total ? id(task.number + 1) : null,
  };
}

/** The search string for another task: how graphs are drawn stays, which attempt does not. */
export function carriedSearch(search: string): string {
  const params = new URLSearchParams(search);
  params.delete('attempt');
  const text = params.toString();
  return text && `?${text}`;
}
