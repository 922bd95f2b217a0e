/** What a submission would do, and the submission. */

import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ChosenFile } from '../lib/files';
import { api, request, take } from './client';
import { keys } from './keys';
import type { CodeInfo, InspectRequest, JobDetail, JobSpec, ParamSpace, Preflight, Preview } from './types';

/** Hyperparameters and the objective may be given as text, as a person writes them: the server reads it. */
export type SpecInput = Omit<JobSpec, 'params' | 'objective'> & {
  params?: Record<string, ParamSpace | string>;
  objective?: JobSpec['objective'] | string;
};

export interface Upload {
  spec: SpecInput;
  files: readonly ChosenFile[];
  code?: CodeInfo | undefined;
}

function form({ spec, files, code }: Upload): FormData {
  const data = new FormData();
  data.append('spec', JSON.stringify(spec));
  if (code) data.append('code', JSON.stringify(code));
  for (const { path, file } of files) data.append('files', file, path);
  return data;
}

async function post<T>(url: string, upload: Upload, signal?: AbortSignal): Promise<T> {
  return (await request(url, { method: 'POST', body: form(upload), signal })).json();
}

/** Which of these paths of a folder a submission leaves out. */
export async function leftOut(names: string[], ignore_files: Record<string, string>): Promise<readonly string[]> {
  return (await take(api.POST('/api/v1/jobs/preview/files', { body: { names, ignore_files } }))).names;
}

/** What a submission would do. For a query of its own: `useQuery({queryKey: ['preview', ...], queryFn})`. */
export function previewJob(upload: Upload, signal?: AbortSignal): Promise<Preview> {
  return post('/api/v1/jobs/preview', upload, signal);
}

/** Preview a submission with the scheduler's own answer, which takes longer. */
export function checkJob(upload: Upload, signal?: AbortSignal): Promise<Preview> {
  return post('/api/v1/jobs/preview?check=true', upload, signal);
}

/** Which modules and files are missing. Set-up lines are not run: they may be half written. */
export function preflightJob(upload: Upload, signal?: AbortSignal): Promise<Preflight> {
  return post('/api/v1/jobs/preflight?setup=false', upload, signal);
}

export function inspectScript(what: InspectRequest, signal?: AbortSignal) {
  return take(api.POST('/api/v1/scripts/inspect', { body: what, signal }));
}

export function useSubmit() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ force, ...upload }: Upload & { force?: boolean }) =>
      post<JobDetail>(`/api/v1/jobs${force ? '?force=true' : ''}`, upload),
    onSuccess: (job) => {
      client.setQueryData(keys.job(job.id), job);
      client.invalidateQueries({ queryKey: ['jobs'] });
    },
  });
}
