import { useEffect } from 'react';
import { api, take } from '../api/client';
import type { StreamEvent } from '../api/events';
import { eventCache } from '../api/live';
import type { Job } from '../api/types';
import { measured, plural } from '../lib/format';
import { tell } from './notify';
import { STATES } from './states';

const QUIET_MS = 1500;

/** Notifies when a job has ended. The server is asked when the state of a task has changed. */
export function JobNotices() {
  useEffect(() => {
    const waiting = new Map<string, ReturnType<typeof setTimeout>>();
    const look = async (id: string) => {
      waiting.delete(id);
      const job = await take(api.GET('/api/v1/jobs/{job}', { params: { path: { job: id } } })).catch(() => null);
      if (job?.ended) tell(`${job.name} has ended`, summary(job));
    };
    const listen = (event: StreamEvent) => {
      if (event.kind !== 'tasks' || 'ids' in event.data || !event.data.tasks.some((task) => task.ended_at)) return;
      clearTimeout(waiting.get(event.job));
      waiting.set(event.job, setTimeout(look, QUIET_MS, event.job));
    };
    const stop = eventCache.listen(listen);
    return () => {
      stop();
      for (const timer of waiting.values()) clearTimeout(timer);
    };
  }, []);
  return null;
}

function summary({ counts, objective, best_value: best, best_spread: spread }: Job): string {
  const states = STATES.filter((state) => counts[state]).map(
    (state) => `${plural(counts[state] ?? 0, 'task')} ${state === 'error' ? 'in error' : state}`,
  );
  return [...states, best === null || best === undefined ? null : `best ${objective.metric} ${measured(best, spread)}`]
    .filter(Boolean)
    .join(', ');
}
