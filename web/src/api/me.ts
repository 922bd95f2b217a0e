/** Who uses the page, and what they may do. Without accounts, whoever has the token may do all. */

import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { showTimesIn } from '../lib/format';
import { may, type Person, type Right } from '../lib/rights';
import { api, take } from './client';
import { keys } from './keys';
import type { WhoAmI } from './types';

export interface Me extends Person {
  fullName: string;
  /** Has an account: whoever came with the server's own token has none. */
  account: boolean;
  /** Whether the page offers this for a job or task; without one, whether it offers it at all. */
  can: (right: Right, of?: { owner: string }) => boolean;
}

export const ALONE: Me = { name: '', fullName: '', role: 'admin', team: false, account: false, can: () => true };
export const MeContext = createContext<Me>(ALONE);

export function useMe(): Me {
  return useContext(MeContext);
}

export function meOf({ name, full_name: fullName = '', role, team, source }: WhoAmI): Me {
  const person = { name, role, team };
  return { ...person, fullName, account: team && source != null, can: (right, of) => may(person, right, of) };
}

export function useWhoAmI() {
  return useQuery({
    queryKey: keys.me(),
    queryFn: async ({ signal }) => {
      const me = await take(api.GET('/api/v1/me', { signal }));
      showTimesIn(me.zone);
      return me;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** How one may sign in here. Everybody may ask. */
export function useMethods(enabled = true) {
  return useQuery({
    queryKey: keys.methods(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/session/methods', { signal })),
    staleTime: 0,
    enabled,
  });
}
