import { useMemo, useRef } from 'react';
import { useTaskCurves } from '../../api/queries';
import type { TaskDetail } from '../../api/types';
import { peakMemory } from './lib/attempts';
import { MEMORY } from './lib/metrics';

/** The task with what the stream of events does not say of it while it runs. */
export function useLive(task: TaskDetail): TaskDetail {
  const { data: curves } = useTaskCurves(task.id);
  const memory = curves?.find(({ metric }) => metric === MEMORY);
  const peak = task.ended_at ? task.peak_memory : peakMemory(task.peak_memory, memory);
  const bestAt = useBestAt(task);
  return useMemo(() => ({ ...task, peak_memory: peak, best_at: bestAt }), [task, peak, bestAt]);
}

/** Events bring a better value and its epoch, but not its time: that is then the time of the event. */
function useBestAt({ best_epoch, best_at }: TaskDetail): string | null | undefined {
  const known = useRef({ best_epoch, best_at, shown: best_at });
  if (known.current.best_at !== best_at) known.current = { best_epoch, best_at, shown: best_at };
  else if (known.current.best_epoch !== best_epoch) {
    known.current = { best_epoch, best_at, shown: best_epoch == null ? null : new Date().toISOString() };
  }
  return known.current.shown;
}
