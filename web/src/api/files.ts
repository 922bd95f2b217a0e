/** Files of tasks and of snapshots, differences between jobs, and notes. */

import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, take, withPageKey } from './client';
import { keys } from './keys';
import type { ImageFile } from './types';

const PAGE = 500;
const GROWING_MS = 10_000;

/** What is in a folder of a task; of large folders, the first entries until more are asked for. */
export function useFolder(task: string, path: string, grows: boolean) {
  return useInfiniteQuery({
    queryKey: keys.files(task, path),
    queryFn: ({ pageParam, signal }) => {
      const query = { path, offset: pageParam, limit: PAGE };
      return take(api.GET('/api/v1/tasks/{task}/files', { params: { path: { task }, query }, signal }));
    },
    initialPageParam: 0,
    getNextPageParam: ({ offset, total }) => (offset + PAGE < total ? offset + PAGE : undefined),
    refetchInterval: grows ? GROWING_MS : false,
  });
}

export function useFilePreview(task: string, path: string, offset: number) {
  return useQuery({
    queryKey: keys.filePreview(task, path, offset),
    queryFn: ({ signal }) =>
      take(
        api.GET('/api/v1/tasks/{task}/files/preview', { params: { path: { task }, query: { path, offset } }, signal }),
      ),
    placeholderData: keepPreviousData,
  });
}

export function useImages(task: string, grows: boolean) {
  return useQuery({
    queryKey: keys.images(task),
    queryFn: ({ signal }) => take(api.GET('/api/v1/tasks/{task}/files/images', { params: { path: { task } }, signal })),
    refetchInterval: grows ? GROWING_MS : false,
  });
}

function fileUrl(task: string, what: string, query: Record<string, string>): string {
  return withPageKey(`/api/v1/tasks/${encodeURIComponent(task)}/files/${what}?${new URLSearchParams(query)}`);
}

/** A file, or a folder as an archive. */
export function downloadUrl(task: string, path: string): string {
  return fileUrl(task, 'download', { path });
}

/** The address changes when the image does: browsers keep what they have shown for a while. */
export function imageUrl(task: string, { path, modified_at: at }: Pick<ImageFile, 'path' | 'modified_at'>): string {
  return fileUrl(task, 'image', { path, v: at ?? '' });
}

export function useCode(job: string) {
  return useQuery({
    queryKey: keys.code(job),
    queryFn: ({ signal }) => take(api.GET('/api/v1/jobs/{job}/code', { params: { path: { job } }, signal })),
  });
}

export function useCodeFile(job: string, path: string | undefined) {
  return useQuery({
    queryKey: keys.codeFile(job, path ?? ''),
    queryFn: ({ signal }) => {
      const params = { path: { job }, query: { path: path ?? '' } };
      return take(api.GET('/api/v1/jobs/{job}/code/preview', { params, signal }));
    },
    enabled: path !== undefined,
    placeholderData: keepPreviousData,
  });
}

export function codeUrl(job: string): string {
  return withPageKey(`/api/v1/jobs/${encodeURIComponent(job)}/code/download`);
}

export function useDiff(job: string, other: string) {
  return useQuery({
    queryKey: keys.diff(job, other),
    queryFn: ({ signal }) =>
      take(api.GET('/api/v1/jobs/{job}/diff/{other}', { params: { path: { job: other, other: job } }, signal })),
  });
}

export function useNoteTask(task: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (note: string) =>
      take(api.PATCH('/api/v1/tasks/{task}', { params: { path: { task } }, body: { note } })),
    onSuccess: (found) => client.setQueryData(keys.task(task), found),
  });
}
