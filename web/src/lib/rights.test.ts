import { expect, it } from 'vitest';
import { may, type Person, type Right } from './rights';

const ALL: Right[] = ['read', 'attach', 'submit', 'edit', 'stop', 'hold', 'limits', 'resize', 'restart', 'remove'];
const allowed = (who: Person, owner: string) => ALL.filter((right) => may(who, right, { owner }));

it('offers everything to whoever is alone', () => {
  expect(allowed({ name: 'ann', role: 'admin', team: false }, 'somebody')).toEqual(ALL);
});

it('offers everything for one’s own job, and of those of others only to read them', () => {
  const ann: Person = { name: 'ann', role: 'user', team: true };
  expect(allowed(ann, 'ann')).toEqual(ALL);
  expect(allowed(ann, 'bob')).toEqual(['read']);
  expect(may(ann, 'submit')).toBe(true);
});

it('lets admins end what others began, but not run anything as them', () => {
  const root: Person = { name: 'root', role: 'admin', team: true };
  expect(allowed(root, 'bob')).toEqual(['read', 'stop', 'hold', 'limits', 'resize', 'remove']);
  expect(allowed(root, 'root')).toEqual(ALL);
});

it('offers nothing to guests, not even for what they once began', () => {
  const guest: Person = { name: 'gus', role: 'guest', team: true };
  expect(allowed(guest, 'gus')).toEqual([]);
  expect(may(guest, 'submit')).toBe(false);
});
