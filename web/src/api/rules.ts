/** Access rules and quotas. */

import { useQuery } from '@tanstack/react-query';
import { api, take } from './client';
import { keys } from './keys';
import { useChange } from './people';
import type { AccessRuleRequest, QuotaRequest, TrialQuery } from './types';

export function useRules() {
  return useQuery({
    queryKey: keys.rules(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/rules', { signal })),
  });
}

/** With an id, the rule is replaced. */
export function useSaveRule() {
  const save = ({ id, body }: { id?: string; body: AccessRuleRequest }) =>
    id === undefined
      ? take(api.POST('/api/v1/rules', { body }))
      : take(api.PUT('/api/v1/rules/{id}', { params: { path: { id } }, body }));
  return useChange(save, keys.rules());
}

export function useRemoveRule() {
  const remove = (id: string) => take(api.DELETE('/api/v1/rules/{id}', { params: { path: { id } } }));
  return useChange(remove, keys.rules());
}

/** Who may use a device at a moment. */
export function useTrial(query: TrialQuery | null) {
  return useQuery({
    queryKey: keys.trials(query ?? {}),
    queryFn: ({ signal }) => take(api.GET('/api/v1/rules/try', { params: { query: query as TrialQuery }, signal })),
    enabled: query !== null,
    staleTime: 0,
  });
}

export function useQuotas() {
  return useQuery({
    queryKey: keys.quotas(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/quotas', { signal })),
  });
}

export function useSetQuota() {
  return useChange((body: QuotaRequest) => take(api.PUT('/api/v1/quotas', { body })), keys.quotas());
}

export function useRemoveQuota() {
  const remove = (id: string) => take(api.DELETE('/api/v1/quotas/{id}', { params: { path: { id } } }));
  return useChange(remove, keys.quotas());
}

/** What is left of one's own quotas in this week. */
export function useQuotaLeft() {
  return useQuery({
    queryKey: keys.quotaLeft(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/me/quota', { signal })),
    staleTime: 0,
  });
}
