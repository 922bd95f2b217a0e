/** One's own account: profile, password, sessions, tokens. */

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { showTimesIn } from '../lib/format';
import { api, take } from './client';
import { keys } from './keys';
import { useChange } from './people';
import type { MePatch, PasswordChange, TokenRequest } from './types';

export function useEditMe() {
  const client = useQueryClient();
  return useChange(async (body: MePatch) => {
    const me = await take(api.PATCH('/api/v1/me', { body }));
    showTimesIn(me.zone);
    client.setQueryData(keys.me(), me);
  }, keys.accounts());
}

export function useChangePassword() {
  return useChange((body: PasswordChange) => take(api.POST('/api/v1/me/password', { body })), keys.sessions());
}

export function useSessions() {
  return useQuery({
    queryKey: keys.sessions(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/me/sessions', { signal })),
    staleTime: 0,
  });
}

export function useEndSession() {
  const end = (id: string) => take(api.DELETE('/api/v1/me/sessions/{id}', { params: { path: { id } } }));
  return useChange(end, keys.sessions());
}

export function useTokens() {
  return useQuery({
    queryKey: keys.tokens(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/me/tokens', { signal })),
    staleTime: 0,
  });
}

export function useMakeToken() {
  return useChange((body: TokenRequest) => take(api.POST('/api/v1/me/tokens', { body })), keys.tokens());
}

export function useRevokeToken() {
  const revoke = (id: string) => take(api.DELETE('/api/v1/me/tokens/{id}', { params: { path: { id } } }));
  return useChange(revoke, keys.tokens());
}
