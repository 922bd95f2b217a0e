/** Accounts, groups, invitations, the audit; whether there is a team at all. */

import { type QueryKey, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, take } from './client';
import { keys } from './keys';
import type { AccountPatch, AccountRequest, GroupPatch, GroupRequest, InviteRequest } from './types';

/** `check`: the server tries what the team needs, again and again, as somebody is busy mending what it shows. */
export function useTeam(check = false) {
  return useQuery({
    queryKey: check ? [...keys.team(), 'check'] : keys.team(),
    queryFn: ({ signal }) =>
      take(check ? api.POST('/api/v1/team/check', { signal }) : api.GET('/api/v1/team', { signal })),
    refetchInterval: check ? 6000 : false,
    staleTime: 0,
  });
}

export function useTurnTeam() {
  return useChange((on: boolean) => take(api.POST('/api/v1/team', { body: { on } })), keys.team());
}

export function useAccounts(enabled = true) {
  return useQuery({
    queryKey: keys.accounts(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/accounts', { signal })),
    enabled,
  });
}

export function useAddAccount() {
  return useChange((body: AccountRequest) => take(api.POST('/api/v1/accounts', { body })), keys.accounts());
}

export function useEditAccount(name: string) {
  const params = { path: { name } };
  const edit = (body: AccountPatch) => take(api.PATCH('/api/v1/accounts/{name}', { params, body }));
  return useChange(edit, keys.accounts(), keys.groups());
}

export function useGroups() {
  return useQuery({
    queryKey: keys.groups(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/groups', { signal })),
  });
}

export function useAddGroup() {
  const add = (body: GroupRequest) => take(api.POST('/api/v1/groups', { body }));
  return useChange(add, keys.groups(), keys.accounts());
}

export function useEditGroup(name: string) {
  const params = { path: { name } };
  const edit = (body: GroupPatch) => take(api.PATCH('/api/v1/groups/{name}', { params, body }));
  return useChange(edit, keys.groups(), keys.accounts());
}

export function useRemoveGroup() {
  const remove = (name: string) => take(api.DELETE('/api/v1/groups/{name}', { params: { path: { name } } }));
  return useChange(remove, keys.groups(), keys.accounts());
}

export function useInvites() {
  return useQuery({
    queryKey: keys.invites(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/invites', { signal })),
    staleTime: 0,
  });
}

export function useInvite() {
  return useChange((body: InviteRequest) => take(api.POST('/api/v1/invites', { body })), keys.invites());
}

export function useRevokeInvite() {
  const revoke = (id: string) => take(api.DELETE('/api/v1/invites/{id}', { params: { path: { id } } }));
  return useChange(revoke, keys.invites());
}

/** Who did what, the newest first; older ones by `fetchNextPage`. */
export function useAudit(who: string, act: string) {
  return useInfiniteQuery({
    queryKey: keys.audit(who, act),
    queryFn: ({ signal, pageParam }) => {
      const query = { ...(who && { who }), ...(act && { act }), ...(pageParam !== null && { before: pageParam }) };
      return take(api.GET('/api/v1/audit', { params: { query }, signal }));
    },
    initialPageParam: null as number | null,
    getNextPageParam: ({ entries, more }) => (more ? (entries.at(-1)?.id ?? null) : null),
    staleTime: 0,
  });
}

/** A mutation after which these are fetched again. */
export function useChange<T, R>(change: (given: T) => Promise<R>, ...stale: QueryKey[]) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}
