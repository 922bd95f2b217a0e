import { useComputedColorScheme } from '@mantine/core';
import { useMemo } from 'react';
import type { JobDetail, Task } from '../../api/types';
import { seriesColor } from '../../lib/colors';
import { paramLabel, paramNames, shortValue } from '../../lib/params';
import { taskFilter } from './lib/filter';
import { inRanges } from './lib/ranges';
import { ranks as ranksOf, sameMap, sweepColor } from './lib/ranks';
import { fixedParams } from './lib/rows';
import { sameList, useStable, type View } from './view';

/** Up to this many curves have colours of their own; more are coloured by how good they are. */
export const OWN_COLORS = 10;

export interface Shape {
  all: string[];
  varying: string[];
  fixed: Task['params'];
  /** task -> number and what is particular to it */
  labels: ReadonlyMap<string, string>;
  /** parameter -> length of its longest value */
  widths: ReadonlyMap<string, number>;
  /** Whether configurations have several tasks. */
  repeated: boolean;
}

export interface Sweep {
  shape: Shape;
  filtered: Task[];
  selected: ReadonlySet<string>;
  /** What graphs show: the filtered ones, or those that are compared. */
  shown: Task[];
  shownIds: readonly string[];
  comparing: boolean;
  ranks: ReadonlyMap<string, number>;
  colors: ReadonlyMap<string, string>;
  dark: boolean;
}

/** What is shown of a job's tasks; parts that are equal to those before stay the same objects. */
export function useSweep(job: JobDetail, tasks: Task[], view: View): Sweep {
  const dark = useComputedColorScheme('light') === 'dark';
  const shape = useShape(tasks);
  const filtered = useMemo(() => {
    const wanted = taskFilter(view.filter, view.state);
    return view.filter || view.state.length ? tasks.filter(wanted) : tasks;
  }, [tasks, view.filter, view.state]);
  const selectedIds = useMemo(() => {
    const chosen = inRanges(view.selected);
    return view.selected ? tasks.filter(({ number }) => chosen(number)).map(({ id }) => id) : [];
  }, [tasks, view.selected]);
  const stableIds = useStable(selectedIds, sameList);
  const selected = useMemo(() => new Set(stableIds), [stableIds]);
  const comparing = view.compare && selected.size > 0;
  const shown = useMemo(
    () => (comparing ? tasks.filter(({ id }) => selected.has(id)) : filtered),
    [comparing, tasks, selected, filtered],
  );
  const ids = useMemo(() => shown.map(({ id }) => id), [shown]);
  const shownIds = useStable(ids, sameList);
  const { goal } = job.objective;
  const best = job.best_task;
  const newRanks = useMemo(() => ranksOf(tasks, goal), [tasks, goal]);
  const ranks = useStable(newRanks, sameMap);
  const colors = useMemo(() => {
    const own = shownIds.length <= OWN_COLORS;
    const color = (id: string, i: number) =>
      own ? seriesColor(i, dark) : sweepColor(ranks.get(id), id === best, dark);
    return new Map(shownIds.map((id, i) => [id, color(id, i)]));
  }, [shownIds, ranks, best, dark]);
  return { shape, filtered, selected, shown, shownIds, comparing, ranks, colors, dark };
}

function useShape(tasks: Task[]): Shape {
  // Parameters of a task change only with a new attempt (population-based training).
  const count = tasks.reduce((sum, { attempt }) => sum + 1 + attempt, 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  return useMemo(() => {
    const { all, varying } = paramNames(tasks.filter(({ reduces }) => !reduces));
    const named = varying.length ? varying : all;
    const label = ({ params, reduces }: Task) => (reduces ? 'reduce' : paramLabel(params, named));
    const labels = new Map(tasks.map((task) => [task.id, `${task.number}: ${label(task)}`]));
    const longest = (name: string) =>
      tasks.reduce((most, { params }) => Math.max(most, shortValue(params[name]).length), 0);
    const widths = new Map(named.map((name) => [name, longest(name)]));
    const repeated = tasks.some(({ trial, number, reduces }) => !reduces && trial !== number);
    return { all, varying, fixed: fixedParams(tasks, varying), labels, widths, repeated };
  }, [count]);
}
