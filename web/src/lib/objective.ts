/** What a job is judged by, and the words that follow from it. */

import type { Job, JobDetail } from '../api/types';

/** Whether one task can be better than another: a map, for one, has nothing to judge them by. */
export function isJudged({ objective }: Pick<Job, 'objective'>): boolean {
  return Boolean(objective.metric);
}

/** What a row of the table is: where configurations run several times, one of their tasks. */
export function rowName({ mapped, configurations }: Pick<JobDetail, 'mapped' | 'configurations'>): string {
  return mapped || configurations != null ? 'task' : 'configuration';
}

/** Whether it will be judged by something that is not chosen yet. */
export function isOpen({ objective, objective_choice: choice }: Pick<Job, 'objective' | 'objective_choice'>): boolean {
  return !objective.metric && choice?.by === 'auto';
}

/** What a task counts while it runs. */
export function stepName(job: Pick<JobDetail, 'objective' | 'objective_choice' | 'mapped'> | undefined): string {
  if (job?.mapped) return 'file';
  return job === undefined || isJudged(job) || isOpen(job) ? 'epoch' : 'step';
}
