import { expect, it } from 'vitest';
import type { Account, Invite } from '../../api/types';
import { detailText, found, inviteState } from './peopleLib';

const account = (name: string, more: Partial<Account> = {}): Account => ({
  name,
  role: 'user',
  source: 'password',
  created_at: 0,
  ...more,
});

it('finds people by all words, and lists those who left last', () => {
  const all = [
    account('zoe'),
    account('bob', { active: false }),
    account('ada', { full_name: 'Ada L', groups: ['lab'] }),
  ];
  const names = (text: string) => found(all, text).map(({ name }) => name);
  expect(names('')).toEqual(['ada', 'zoe', 'bob']);
  expect(names('LAB ada')).toEqual(['ada']);
  expect(names('nobody')).toEqual([]);
});

it('says how an invitation stands', () => {
  const invite: Invite = { id: '1', role: 'user', by: 'ann', created_at: 0, expires_at: 100 };
  expect(inviteState(invite, 99_000)).toBe('valid');
  expect(inviteState(invite, 101_000)).toBe('over');
  expect(inviteState({ ...invite, used_by: 'ada' }, 101_000)).toBe('used by ada');
});

it('writes what an entry of the audit keeps in one line', () => {
  expect(detailText({ role: 'user', members: ['a', 'b'], days: 7, groups: [] })).toBe(
    'role: user, members: a b, days: 7, groups: none',
  );
  expect(detailText(undefined)).toBe('');
});
