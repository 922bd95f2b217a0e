import { useDeferredValue, useMemo } from 'react';
import type { GraphProps } from './graph';
import type { Ranked } from './lib/parallel';

/** The tasks that are shown, with all that the graphs of best values need. */
export function useRanked({ job, sweep, view }: GraphProps): Ranked {
  const { ranks, dark, shape } = sweep;
  const tasks = useDeferredValue(sweep.shown);
  const { metric = '', goal } = job.objective;
  const best = job.best_task ?? null;
  const { log, clip } = view;
  return useMemo(
    () => ({ tasks, metric, goal, ranks, labels: shape.labels, best, dark, log, clip }),
    [tasks, metric, goal, ranks, shape.labels, best, dark, log, clip],
  );
}
