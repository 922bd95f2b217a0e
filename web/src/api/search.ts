/** How a search stands, and more of it. */

import { useQuery } from '@tanstack/react-query';
import { api, take } from './client';
import { useJobChange } from './jobs';
import { keys } from './keys';
import type { ExtendRequest } from './types';

/** How the search stands. Asked for again while events of the job come. */
export function useSearchReport(job: string, enabled = true) {
  return useQuery({
    enabled,
    queryKey: keys.search(job),
    queryFn: ({ signal }) => take(api.GET('/api/v1/jobs/{job}/search', { params: { path: { job } }, signal })),
  });
}

/** More of a search: more trials, more time, other values. */
export function useExtend(job: string) {
  return useJobChange((body: ExtendRequest) =>
    take(api.POST('/api/v1/jobs/{job}/extend', { params: { path: { job } }, body })),
  );
}
