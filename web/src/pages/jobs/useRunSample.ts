import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { api, take } from '../../api/client';
import type { Sample } from '../../api/types';

/** Submits a sample as it is, and goes to its job. */
export function useRunSample() {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: ({ submission }: Sample) => take(api.POST('/api/v1/jobs', { body: submission })),
    onSuccess: (job) => {
      client.invalidateQueries({ queryKey: ['jobs'] });
      navigate(`/jobs/${job.id}`);
    },
  });
}
