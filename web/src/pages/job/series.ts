import { useMemo, useRef } from 'react';
import type { Curve, JobDetail } from '../../api/types';
import { nearestIndex } from '../../lib/curves';
import { Highlight } from '../../lib/highlight';
import type { Best, ChartSeries } from '../../parts/plots/CurveChart';
import { isOfMachine } from './lib/metrics';
import { OWN_COLORS, type Sweep } from './useSweep';

/** The curves that are shown, the best above the others. Those that have not moved keep their series. */
export function useSeries(curves: Curve[], metric: string, sweep: Sweep): ChartSeries[] {
  const known = useRef(new WeakMap<Curve, ChartSeries>());
  const { colors, ranks, shape } = sweep;
  return useMemo(() => {
    const made = drawn(curves, metric, colors).map((curve) => {
      const next = seriesOf(curve, metric, colors, shape.labels);
      const old = known.current.get(curve);
      if (old && old.id === next.id && old.label === next.label && old.color === next.color) return old;
      known.current.set(curve, next);
      return next;
    });
    const place = ({ id }: ChartSeries) => ranks.get(taskOf(id)) ?? 1;
    return colors.size > OWN_COLORS ? made.sort((a, b) => place(b) - place(a)) : made;
  }, [curves, metric, colors, ranks, shape.labels]);
}

/** The curves of the tasks that are shown; few have their place in the legend before they have a point. */
function drawn(curves: Curve[], metric: string, shown: ReadonlyMap<string, string>): Curve[] {
  const own = curves.filter(({ task }) => shown.has(task));
  if (shown.size > OWN_COLORS) return own;
  const places = new Map([...shown.keys()].map((task, i) => [task, i]));
  const begun = new Set(own.filter((curve) => curve.metric === metric).map(({ task }) => task));
  const waiting = [...shown.keys()].filter((task) => !begun.has(task));
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
    id: main ? curve.task : `${curve.task} ${curve.metric}`,
    label: main ? label : `${label} · ${curve.metric}`,
    color: colors.get(curve.task) as string,
    steps: curve.steps,
    values: curve.values,
    dashed: !main,
  };
}

/** The task of a series or of what is highlighted: a second curve has the name of its metric behind it. */
export function taskOf(id: string): string {
  return id.split(' ')[0] as string;
}

/** Where the best task stood at its best, for any metric. */
export function useBest(job: JobDetail, curves: Curve[], metric: string, sweep: Sweep): Best | null {
  const id = job.best_task;
  const task = sweep.shown.find((one) => one.id === id);
  const step = task?.best_epoch;
  return useMemo(() => {
    // The node is measured over time, not over epochs.
    if (!id || step === null || step === undefined || isOfMachine(metric)) return null;
    const curve = curves.find((one) => one.task === id && one.metric === metric);
    const value = curve?.values[nearestIndex(curve, step)];
    return value === null || value === undefined ? null : { id, step, value };
  }, [id, step, curves, metric]);
}

/** Two curves per task: the chart distinguishes them, all other views see the task. */
export class SplitHighlight extends Highlight {
  constructor(shared: Highlight) {
    super();
    let own: string | null = null;
    const listeners = new Set<() => void>();
    this.get = () => {
      const task = shared.get();
      return own !== null && taskOf(own) === task ? own : task;
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

export function useSplitHighlight(shared: Highlight): Highlight {
  return useMemo(() => new SplitHighlight(shared), [shared]);
}
