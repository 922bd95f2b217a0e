/** What one was told, and what one wants to be told where. */

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, take } from './client';
import { keys } from './keys';
import { useChange } from './people';
import type { ChoicesRequest, NoticeChoices } from './types';

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

/** Choices are shown as they are made; one that the server refuses is taken back. */
export function useChooseNotices() {
  const client = useQueryClient();
  const queryKey = keys.noticeChoices();
  return useMutation({
    mutationFn: (body: ChoicesRequest) => take(api.PUT('/api/v1/me/notices/choices', { body })),
    onMutate: (body) => {
      const before = client.getQueryData<NoticeChoices>(queryKey);
      if (before) client.setQueryData(queryKey, chosenNow(before, body));
      return before;
    },
    onError: (_error, _body, before) => client.setQueryData(queryKey, before),
    onSuccess: (found) => client.setQueryData(queryKey, found),
  });
}

/** A new address has no id yet, and is shown when the server has accepted it. */
function chosenNow(before: NoticeChoices, { mail = [], addresses = [] }: ChoicesRequest): NoticeChoices {
  const kinds = new Map(addresses.map((one) => [one.id, one.kinds]));
  const kept = before.addresses?.filter(({ id }) => kinds.has(id));
  return { ...before, mail, addresses: kept?.map((one) => ({ ...one, kinds: kinds.get(one.id) ?? one.kinds })) };
}

export function useTryNotices() {
  return useChange((to: string) => take(api.POST('/api/v1/me/notices/try', { body: { to } })));
}
