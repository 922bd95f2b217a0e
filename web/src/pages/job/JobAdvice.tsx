import { useAdvice } from '../../api/load';
import type { JobDetail } from '../../api/types';
import { Hints } from '../../parts/Hints';

/** What its owner could change while it runs. Nothing where all is well. */
export function JobAdvice({ job }: { job: JobDetail }) {
  const { data: advice = [] } = useAdvice(job.id, !job.ended && (job.counts.running ?? 0) > 0);
  return job.ended ? null : <Hints hints={advice} />;
}
