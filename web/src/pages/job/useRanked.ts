import { useDeferredValue, useMemo } from 'react';
import type { GraphProps } from './graph';
import type { Ranked } from './lib/parallel';

/** The tasks that are shown, with all that the graphs of best values need. */
export function useRanked({ job, sweep, view }: GraphProps): Ranked {
  const { ranks, colors, shape } = sweep;
  const tasks = useDeferredValue(sweep.shown);
  const { metric = '', goal } = job.objective;
  const best = job.best_task ?? null;
  const { log, clip, brush } = view;
  const all = useDeferredValue(sweep.around ?? sweep.all);
  const around = brush.length ? all : null;
  return useMemo(
    () => ({ tasks, around, brush, metric, goal, ranks, colors, labels: shape.labels, best, log, clip }),
    [tasks, around, brush, metric, goal, ranks, colors, shape.labels, best, log, clip],
  );
}
