import { useMemo, useRef } from 'react';
import { useTaskCurves } from '../../api/curves';
import type { TaskDetail } from '../../api/types';
import { peakMemory } from './lib/attempts';
import { GPU_MEMORY, MEMORY } from './lib/metrics';

/** The task with what events do not contain while it runs. */
export function useLive(task: TaskDetail): TaskDetail {
  const { data: curves } = useTaskCurves(task.id);
  const peakOf = (known: number | null | undefined, name: string) =>
    task.ended_at
      ? known
      : peakMemory(
          known,
          curves?.find(({ metric }) => metric === name),
        );
  const peak = peakOf(task.peak_memory, MEMORY);
  const gpuPeak = peakOf(task.peak_gpu_memory, GPU_MEMORY);
  const bestAt = useBestAt(task);
  return useMemo(
    () => ({ ...task, peak_memory: peak, peak_gpu_memory: gpuPeak, best_at: bestAt }),
    [task, peak, gpuPeak, bestAt],
  );
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
