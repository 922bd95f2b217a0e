import { useComputedColorScheme } from '@mantine/core';
import { useMemo } from 'react';
import { useOrder } from '../../api/tasks';
import type { JobDetail, Outline } from '../../api/types';
import { paramLabel, paramNames, shortValue } from '../../lib/params';
import { inRanges } from '../../lib/ranges';
import { type Groups, groupsOf } from './lib/groups';
import { groupColors, OWN_COLORS, ownColors, ranks as ranksOf, sameMap, sweepColor } from './lib/ranks';
import { fixedParams } from './lib/rows';
import { useMeans } from './useMeans';
import { sameList, useStable, type View } from './view';

export interface Shape {
  all: string[];
  varying: string[];
  fixed: Outline['params'];
  /** task -> number and what is particular to it */
  labels: ReadonlyMap<string, string>;
  /** parameter -> length of its longest value */
  widths: ReadonlyMap<string, number>;
  /** Whether configurations have several tasks. */
  repeated: boolean;
}

export interface Sweep {
  all: Outline[];
  /** How many tasks the job has. */
  total: number;
  shape: Shape;
  /** The filter with what was brushed. */
  q: string;
  /** Those that the filter leaves without the brushes; null: all of them. */
  around: Outline[] | null;
  /** Those that the filter leaves, in the order of the table. */
  filtered: Outline[];
  selected: ReadonlySet<string>;
  /** What graphs show, by number: the filtered ones, or those that are compared. */
  shown: Outline[];
  shownIds: readonly string[];
  comparing: boolean;
  ranks: ReadonlyMap<string, number>;
  /** The same in all graphs and in the table: of each task, and of each group by its key. */
  colors: ReadonlyMap<string, string>;
  groups: Groups | null;
  dark: boolean;
}

/** What is shown of a job's tasks; parts that are equal to those before stay the same objects. */
export function useSweep(job: JobDetail, tasks: Outline[], view: View): Sweep {
  const dark = useComputedColorScheme('light') === 'dark';
  const shape = useShape(tasks);
  const q = [view.filter, ...view.brush].join(' ').trim();
  const order = useOrder(job.id, { q, state: view.state }, view.sort);
  const brushes = view.brush.length > 0;
  const wide = useOrder(job.id, brushes ? { q: view.filter, state: view.state } : ALL, '');
  const around = useMemo(() => (wide ? taken(tasks, wide) : null), [tasks, wide]);
  const filtered = useMemo(() => (order ? taken(tasks, order) : tasks), [tasks, order]);
  const selectedIds = useMemo(() => {
    const chosen = inRanges(view.selected);
    return view.selected ? tasks.filter(({ number }) => chosen(number)).map(({ id }) => id) : [];
  }, [tasks, view.selected]);
  const stableIds = useStable(selectedIds, sameList);
  const selected = useMemo(() => new Set(stableIds), [stableIds]);
  const comparing = view.compare && selected.size > 0;
  const shown = useMemo(
    () => (comparing ? tasks.filter(({ id }) => selected.has(id)) : order ? byNumber(filtered) : tasks),
    [comparing, tasks, selected, filtered, order],
  );
  const ids = useMemo(() => shown.map(({ id }) => id), [shown]);
  const shownIds = useStable(ids, sameList);
  const { goal } = job.objective;
  const best = job.best_task;
  const means = useMeans(job.id, shape.repeated);
  const newRanks = useMemo(() => {
    if (means.size === 0) return ranksOf(tasks, goal);
    return ranksOf(
      tasks.map(({ id, trial }) => ({ id, best_value: means.get(trial)?.values[0] })),
      goal,
    );
  }, [tasks, goal, means]);
  const ranks = useStable(newRanks, sameMap);
  // biome-ignore lint/correctness/useExhaustiveDependencies: parameters hold still while the shape does
  const groups = useMemo(
    () => (comparing ? null : groupsOf(shown, view.group, shape)),
    [comparing, shownIds, view.group, shape],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the tasks only their number and ids count
  const colors = useMemo(() => {
    const found = new Map(tasks.map(({ id }) => [id, sweepColor(ranks.get(id), id === best, dark)]));
    if (groups) {
      const byKey = groupColors(groups.all, ranks, dark);
      for (const [id, key] of groups.of) found.set(id, byKey.get(key) as string);
      return new Map([...found, ...byKey]);
    }
    // Few are told apart; of many, those that are selected.
    const few = shown.length <= OWN_COLORS ? shown : selected.size <= OWN_COLORS ? tasks.filter(isIn(selected)) : [];
    return new Map([...found, ...ownColors(few, dark)]);
  }, [tasks.length, shownIds, selected, groups, ranks, best, dark]);
  return {
    all: tasks,
    total: tasks.length,
    shape,
    q,
    around,
    filtered,
    selected,
    shown,
    shownIds,
    comparing,
    ranks,
    colors,
    groups,
    dark,
  };
}

const ALL = { q: '', state: [] };

/** Numbers begin at 1 and have no gaps; a task may be newer than what is known of all. */
function taken(tasks: readonly Outline[], numbers: readonly number[]): Outline[] {
  return numbers.map((number) => tasks[number - 1]).filter((task) => task !== undefined);
}

function isIn(ids: ReadonlySet<string>): (task: Outline) => boolean {
  return ({ id }) => ids.has(id);
}

function byNumber(tasks: readonly Outline[]): Outline[] {
  return [...tasks].sort((a, b) => a.number - b.number);
}

function useShape(tasks: Outline[]): Shape {
  // Parameters of a task change only with a new attempt (population-based training).
  const count = tasks.reduce((sum, { attempt }) => sum + 1 + attempt, 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  return useMemo(() => {
    const { all, varying } = paramNames(tasks.filter(({ reduces }) => !reduces));
    const named = varying.length ? varying : all;
    const label = ({ params, reduces }: Outline) => (reduces ? 'reduce' : paramLabel(params, named));
    const labels = new Map(tasks.map((task) => [task.id, `${task.number}: ${label(task)}`]));
    const longest = (name: string) =>
      tasks.reduce((most, { params }) => Math.max(most, shortValue(params[name]).length), 0);
    const widths = new Map(named.map((name) => [name, longest(name)]));
    const repeated = tasks.some(({ trial, number, reduces }) => !reduces && trial !== number);
    return { all, varying, fixed: fixedParams(tasks, varying), labels, widths, repeated };
  }, [count]);
}
