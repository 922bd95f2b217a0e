/** Hosts: machines that are reached by ssh. */

import { useQuery } from '@tanstack/react-query';
import { api, take } from './client';
import { keys } from './keys';
import { useChange } from './people';

export function useHosts(enabled: boolean) {
  return useQuery({
    queryKey: keys.hosts(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/hosts', { signal })),
    refetchInterval: 5000,
    enabled,
  });
}

interface Named {
  name: string;
  backend: string;
}

const params = ({ name, backend }: Named) => ({ path: { name }, query: { backend } });

export function useLoseHost() {
  const lose = (host: Named) => take(api.POST('/api/v1/hosts/{name}/lost', { params: params(host) }));
  return useChange(lose, keys.hosts(), keys.load());
}

export function useForgetHost() {
  const forget = (host: Named) => take(api.DELETE('/api/v1/hosts/{name}', { params: params(host) }));
  return useChange(forget, keys.hosts(), keys.load());
}
