/** Who uses the page, and what they may do. Whoever has the token may do all; accounts are to change this file only. */

import { createContext, useContext } from 'react';

export type Right = 'submit' | 'edit' | 'stop' | 'restart' | 'remove';

export interface Me {
  /** Whether the page offers this for a job or task; without one, whether it offers it at all. */
  can: (right: Right, of?: { owner: string }) => boolean;
}

export const MeContext = createContext<Me>({ can: () => true });

export function useMe(): Me {
  return useContext(MeContext);
}
