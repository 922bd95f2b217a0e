import type { QueuedJob } from '../../api/types';

export interface Line {
  backend: string;
  jobs: QueuedJob[];
}

/** The jobs that wait, by backend, in the order of the server. */
export function waitingByBackend(jobs: readonly QueuedJob[]): Line[] {
  const lines = new Map<string, QueuedJob[]>();
  for (const job of jobs) {
    if (job.waiting > 0) lines.set(job.backend, [...(lines.get(job.backend) ?? []), job]);
  }
  return [...lines].map(([backend, some]) => ({ backend, jobs: some }));
}

/** `2 run, 14 wait` */
export function tasksText({ running, waiting }: Pick<QueuedJob, 'running' | 'waiting'>): string {
  const runs = running > 0 && `${running.toLocaleString('en-US')} ${running === 1 ? 'runs' : 'run'}`;
  const waits = waiting > 0 && `${waiting.toLocaleString('en-US')} ${waiting === 1 ? 'waits' : 'wait'}`;
  return [runs, waits].filter(Boolean).join(', ');
}
