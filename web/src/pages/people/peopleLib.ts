/** Texts of the pages about people. */

import type { Account, AuditEntry, Invite, SignInSource } from '../../api/types';

export const SOURCES: Record<SignInSource, string> = {
  password: 'password',
  pam: 'this machine',
  ldap: 'directory',
  oidc: 'single sign-on',
};

/** The accounts in which all words of a text occur: those that are active first. */
export function found(accounts: readonly Account[], text: string): Account[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const said = ({ name, full_name: fullName, email, role, unix_name: unixName, groups }: Account) =>
    [name, fullName, email, role, unixName, ...(groups ?? [])].join(' ').toLowerCase();
  const matching = accounts.filter((one) => words.every((word) => said(one).includes(word)));
  return matching.sort((a, b) => Number(b.active ?? true) - Number(a.active ?? true) || a.name.localeCompare(b.name));
}

/** `used by ada`, `valid`, `over` */
export function inviteState({ used_by: usedBy, expires_at: expiresAt }: Invite, now = Date.now()): string {
  if (usedBy) return `used by ${usedBy}`;
  return expiresAt * 1000 < now ? 'over' : 'valid';
}

/** `role: user → admin, email: a@b` of what an entry keeps besides. */
export function detailText(detail: AuditEntry['detail']): string {
  return Object.entries(detail ?? {})
    .map(([name, value]) => `${name}: ${valueText(value)}`)
    .join(', ');
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(' ') || 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
