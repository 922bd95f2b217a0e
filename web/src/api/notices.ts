/** What one was told, and what one wants to be told where. */

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, take } from './client';
import { keys } from './keys';
import { useChange } from './people';
import type { ChoicesRequest } from './types';

/** The newest; the event stream says when there are others. */
export function useNotices() {
  return useQuery({
    queryKey: keys.notices(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/me/notices', { params: { query: { limit: 30 } }, signal })),
  });
}

export function useReadNotices() {
  const client = useQueryClient();
  return useChange(async (upTo: number) => {
    const page = await take(api.POST('/api/v1/me/notices/read', { body: { up_to: upTo } }));
    client.setQueryData(keys.notices(), { ...page, items: page.items.slice(0, 30) });
  });
}

export function useNoticeChoices() {
  return useQuery({
    queryKey: keys.noticeChoices(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/me/notices/choices', { signal })),
    staleTime: 0,
  });
}

export function useChooseNotices() {
  const client = useQueryClient();
  return useChange(async (body: ChoicesRequest) => {
    client.setQueryData(keys.noticeChoices(), await take(api.PUT('/api/v1/me/notices/choices', { body })));
  });
}

export function useTryNotices() {
  return useChange((to: string) => take(api.POST('/api/v1/me/notices/try', { body: { to } })));
}
