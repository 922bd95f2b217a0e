import { useMemo, useRef } from 'react';
import type { Curve, JobDetail } from '../../api/types';
import { nearestIndex } from '../../lib/curves';
import { Highlight } from '../../lib/highlight';
import type { Best, ChartSeries } from '../../parts/plots/CurveChart';
import { type Across, EPOCH_METRIC, placesOf } from './lib/across';
import { type Group, type Groups, meanOf } from './lib/groups';
import { isOfMachine } from './lib/metrics';
import { OWN_COLORS } from './lib/ranks';
import type { Sweep } from './useSweep';

/** The curves that are shown, or the means of groups, the best above the others. Those that have not moved keep their
 * series. */
export function useSeries(curves: Curve[], metric: string, sweep: Sweep, across: Across): ChartSeries[] {
  const { shownIds, groups } = sweep;
  const own = useMemo(() => drawn(curves, metric, shownIds), [curves, metric, shownIds]);
  const single = useSingle(groups ? NO_CURVES : own, metric, sweep, across);
  const means = useMeans(groups, groups ? own : NO_CURVES, metric, sweep, across);
  return groups ? means : single;
}

const NO_CURVES: Curve[] = [];

function useSingle(curves: Curve[], metric: string, sweep: Sweep, across: Across): ChartSeries[] {
  const known = useRef(new WeakMap<Curve, { series: ChartSeries; across: Across }>());
  const { colors, ranks, shape, shownIds, selected } = sweep;
  return useMemo(() => {
    const made = curves.map((curve) => {
      const next = seriesOf(curve, metric, colors, shape.labels);
      const old = known.current.get(curve);
      const { series } = old ?? {};
      if (series && old?.across === across && ALIKE.every((name) => series[name] === next[name])) return series;
      const placed = { ...next, steps: placesOf(curve, across) };
      known.current.set(curve, { series: placed, across });
      return placed;
    });
    // Those that are selected lie above all others.
    const place = ({ id }: ChartSeries) => (selected.has(taskOf(id)) ? -1 : (ranks.get(taskOf(id)) ?? 1));
    return shownIds.length > OWN_COLORS ? made.sort((a, b) => place(b) - place(a)) : made;
  }, [curves, metric, colors, ranks, shape.labels, shownIds, selected, across]);
}

const ALIKE = ['id', 'label', 'color'] as const;

function useMeans(groups: Groups | null, curves: Curve[], metric: string, sweep: Sweep, across: Across): ChartSeries[] {
  const known = useRef(new Map<string, { curves: Curve[]; across: Across; series: ChartSeries }>());
  const { colors } = sweep;
  return useMemo(() => {
    const parts = new Map<string, Curve[]>();
    for (const curve of curves) {
      const key = groups?.of.get(curve.task);
      if (key === undefined) continue;
      const id = curve.metric === metric ? key : `${key}\n${curve.metric}`;
      const part = parts.get(id);
      if (part) part.push(curve);
      else parts.set(id, [curve]);
    }
    const made = (groups?.all ?? []).flatMap((group) =>
      [...parts]
        .filter(([id]) => taskOf(id) === group.key)
        .map(([id, own]): ChartSeries => {
          const color = colors.get(group.key) as string;
          const old = known.current.get(id);
          const same = old?.across === across && old.series.color === color && sameItems(old.curves, own);
          if (same) return old.series;
          const series = meanSeries(group, id, own, color, across);
          known.current.set(id, { curves: own, across, series });
          return series;
        }),
    );
    return made;
  }, [groups, curves, metric, colors, across]);
}

function sameItems<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((one, i) => one === b[i]);
}

function meanSeries(group: Group, id: string, curves: Curve[], color: string, across: Across): ChartSeries {
  const { steps, values, low, high } = meanOf(
    curves.map((curve) => ({ steps: placesOf(curve, across), values: curve.values })),
  );
  const other = id === group.key ? '' : ` · ${id.slice(group.key.length + 1)}`;
  const label = `${group.label}${other} (mean of ${curves.length})`;
  return { id, label, color, steps, values, dashed: id !== group.key, band: { low, high } };
}

/** The curves of the tasks that are shown; few have their place in the legend before they have a point. */
function drawn(curves: Curve[], metric: string, shownIds: readonly string[]): Curve[] {
  const shown = new Set(shownIds);
  const own = curves.filter((curve) => shown.has(curve.task) && curve.metric !== EPOCH_METRIC);
  if (shown.size > OWN_COLORS) return own;
  const places = new Map(shownIds.map((task, i) => [task, i]));
  const begun = new Set(own.filter((curve) => curve.metric === metric).map(({ task }) => task));
  const waiting = shownIds.filter((task) => !begun.has(task));
  const nothing = waiting.map((task) => ({ task, metric, steps: [], values: [], times: [], total: 0 }));
  const second = (curve: Curve) => (curve.metric === metric ? 0 : 0.5);
  const place = (curve: Curve) => (places.get(curve.task) ?? 0) + second(curve);
  return [...own, ...nothing].sort((a, b) => place(a) - place(b));
}

function seriesOf(
  curve: Curve,
  metric: string,
  colors: ReadonlyMap<string, string>,
  labels: ReadonlyMap<string, string>,
): ChartSeries {
  const main = curve.metric === metric;
  const label = labels.get(curve.task) ?? curve.task;
  return {
    id: main ? curve.task : `${curve.task}\n${curve.metric}`,
    label: main ? label : `${label} · ${curve.metric}`,
    color: colors.get(curve.task) as string,
    steps: curve.steps,
    values: curve.values,
    dashed: !main,
  };
}

/** The task or group of a series or of what is highlighted: a second curve has the name of its metric behind it. */
export function taskOf(id: string): string {
  return id.split('\n')[0] as string;
}

/** Where the best task stood at its best, for any metric. */
export function useBest(job: JobDetail, curves: Curve[], metric: string, sweep: Sweep, across: Across): Best | null {
  const id = job.best_task;
  const task = sweep.shown.find((one) => one.id === id);
  const { best_epoch: step, best_value: best } = task ?? {};
  const judged = job.objective.metric === metric;
  const grouped = sweep.groups !== null;
  return useMemo(() => {
    // The node is measured over time, not over epochs.
    if (!id || step === null || step === undefined || isOfMachine(metric) || grouped) return null;
    const curve = curves.find((one) => one.task === id && one.metric === metric);
    if (!curve) return null;
    const index = judged ? closest(curve.values, best) : nearestIndex(curve, step);
    const [value, place] = [curve.values[index], placesOf(curve, across)[index]];
    return value === null || value === undefined || place === undefined ? null : { id, step: place, value };
  }, [id, step, best, judged, grouped, curves, metric, across]);
}

/** Where the best value is: a script may count steps and epochs, and the best value is known by its epoch. */
function closest(values: readonly (number | null)[], wanted: number | null | undefined): number {
  let [found, least] = [-1, Number.POSITIVE_INFINITY];
  values.forEach((value, i) => {
    const apart = Math.abs((value ?? Number.NaN) - (wanted ?? Number.NaN));
    if (apart < least) [found, least] = [i, apart];
  });
  return found;
}

/** Two curves per task: the chart distinguishes them, all other views see the task. Where the chart shows `groups`, a
 * task of another view is its group there. */
export class SplitHighlight extends Highlight {
  constructor(shared: Highlight, groups: ReadonlyMap<string, string> | null = null) {
    super();
    let own: string | null = null;
    const listeners = new Set<() => void>();
    this.get = () => {
      const task = shared.get();
      if (own !== null && taskOf(own) === task) return own;
      return task === null ? null : (groups?.get(task) ?? task);
    };
    this.set = (id) => {
      const task = id === null ? null : taskOf(id);
      const again = id !== own && task === shared.get();
      own = id;
      shared.set(task);
      if (again) for (const listener of listeners) listener();
    };
    this.subscribe = (listener) => {
      listeners.add(listener);
      const leave = shared.subscribe(listener);
      return () => {
        listeners.delete(listener);
        leave();
      };
    };
  }
}

export function useSplitHighlight(shared: Highlight, groups: Groups | null): Highlight {
  const of = groups?.of ?? null;
  return useMemo(() => new SplitHighlight(shared, of), [shared, of]);
}
