/** How a person has arranged a page. */

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, take } from './client';
import { keys } from './keys';
import type { PageLayout, Tile } from './types';

export function useLayout(page: string) {
  return useQuery({
    queryKey: keys.layout(page),
    queryFn: ({ signal }) => take(api.GET('/api/v1/me/layouts/{page}', { params: { path: { page } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Without tiles, the page is again as it begins. */
export function useSaveLayout(page: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (tiles: Tile[] | null) =>
      take(api.PUT('/api/v1/me/layouts/{page}', { params: { path: { page } }, body: { tiles } })),
    onSuccess: (saved: PageLayout) => client.setQueryData(keys.layout(page), saved),
  });
}
