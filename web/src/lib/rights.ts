/** What the page offers to whom. The server decides again: this only keeps buttons away that would be refused. */

export type Right =
  | 'read'
  | 'attach'
  | 'submit'
  | 'edit'
  | 'stop'
  | 'hold'
  | 'limits'
  | 'resize'
  | 'restart'
  | 'remove';

export interface Person {
  name: string;
  role: 'guest' | 'user' | 'admin';
  /** Accounts are in use. */
  team: boolean;
}

/** What may be done with a job of somebody else: `read` is its logs, files and code. Nothing that runs as its owner. */
const OF_OTHERS: Record<Person['role'], readonly Right[]> = {
  guest: [],
  user: ['read'],
  admin: ['read', 'stop', 'hold', 'limits', 'resize', 'remove'],
};

export function may({ name, role, team }: Person, right: Right, of?: { owner: string }): boolean {
  if (!team) return true;
  if (role === 'guest') return false;
  if (of === undefined || of.owner === name) return true;
  return OF_OTHERS[role].includes(right);
}
