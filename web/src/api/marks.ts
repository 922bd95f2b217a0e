/** Numbers in a log that become metrics. */

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, take } from './client';
import type { components } from './schema';

type MarkRequest = Partial<components['schemas']['MarkRequest']>;

function send(job: string, body: MarkRequest) {
  const filled = { line: '', start: 0, end: 0, ...body };
  return take(api.POST('/api/v1/jobs/{job}/metric-patterns', { params: { path: { job } }, body: filled }));
}

export function useMarkMetric(job: string) {
  const client = useQueryClient();
  const mark = useMutation({
    mutationFn: (body: MarkRequest) => send(job, body),
    onSuccess: () => client.invalidateQueries(),
  });
  return { mark, preview: (body: MarkRequest) => send(job, body) };
}
