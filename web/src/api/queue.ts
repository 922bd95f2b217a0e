/** What waits and runs on the server, with when it begins and ends. */

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, take } from './client';
import { keys } from './keys';

const EVERY_MS = 20_000;

export function useQueue() {
  return useQuery({
    queryKey: keys.queue(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/queue', { signal })),
    // Estimates move with time alone, without an event.
    refetchInterval: EVERY_MS,
  });
}

/** Among the jobs of one owner, the highest goes first. */
export function useChangePriority(job: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (priority: number) =>
      take(api.POST('/api/v1/jobs/{job}/limits', { params: { path: { job } }, body: { priority } })),
    onSuccess: (changed) => {
      client.setQueryData(keys.job(job), changed);
      for (const what of ['queue', 'jobs']) client.invalidateQueries({ queryKey: [what] });
    },
  });
}
