/** What a job is judged by, and the words that follow from it. */

import type { Job, JobDetail } from '../api/types';

/** Whether one task can be better than another: a map, for one, has nothing to judge them by. */
export function isJudged({ objective }: Pick<Job, 'objective'>): boolean {
  return Boolean(objective.metric);
}

/** What a task counts while it runs. */
export function stepName(job: Pick<JobDetail, 'objective' | 'mapped'> | undefined): string {
  if (job?.mapped) return 'file';
  return job === undefined || isJudged(job) ? 'epoch' : 'step';
}
