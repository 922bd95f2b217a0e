/** Columns of many tasks, as the server sends them, as objects. */

import type { Outline, TaskColumns } from '../api/types';

/** The values of a column, one per task: one value alone stands for all of them. */
export function columnOf<T>({ columns, total }: TaskColumns, name: string): T[] {
  const found = (columns[name] ?? [null]) as T[];
  return found.length === total ? found : Array<T>(total).fill(found[0] as T);
}

export function outlinesOf(given: TaskColumns): Outline[] {
  const of = <T>(name: string) => columnOf<T>(given, name);
  const [numbers, trials, states, attempts] = [
    of<number>('number'),
    of<number>('trial'),
    of<Outline['state']>('state'),
    of<number>('attempt'),
  ];
  const [reduces, best, at, epoch] = [
    of<boolean>('reduces'),
    of<number | null>('best'),
    of<number | null>('at'),
    of<number | null>('epoch'),
  ];
  const params = Object.keys(given.columns)
    .filter((name) => name.startsWith('param.'))
    .map((name) => [name.slice('param.'.length), of<Outline['params'][string]>(name)] as const);
  return numbers.map((number, i) => {
    const own: Outline['params'] = {};
    for (const [name, values] of params) {
      const value = values[i];
      if (value !== null && value !== undefined) own[name] = value; // a task may lack a parameter
    }
    return {
      id: `${given.job}-${number}`,
      job: given.job,
      number,
      trial: trials[i] as number,
      state: states[i] as Outline['state'],
      attempt: attempts[i] as number,
      reduces: reduces[i] as boolean,
      best_value: best[i],
      best_epoch: at[i],
      epoch: epoch[i],
      params: own,
    };
  });
}
