import { expect, it } from 'vitest';
import { readState, writeState } from './urlState';

const defaults = { q: '', page: 1, log: false, metric: [] as string[] };

it('reads what is there and falls back', () => {
  expect(readState('', defaults)).toEqual(defaults);
  expect(readState('?q=a%20b&page=3&log=1&metric=x&metric=y', defaults)).toEqual({
    q: 'a b',
    page: 3,
    log: true,
    metric: ['x', 'y'],
  });
  expect(readState('page=nonsense', defaults).page).toBe(1);
});

it('writes changes, without defaults, and leaves the rest alone', () => {
  expect(writeState('other=1', { q: 'a&b', log: true }, defaults)).toBe('other=1&q=a%26b&log=1');
  expect(writeState('q=x&page=2', { q: '', page: 1 }, defaults)).toBe('');
  expect(writeState('', { metric: ['a', 'b'] }, defaults)).toBe('metric=a&metric=b');
});

it('reads back what it wrote', () => {
  const state = { q: '?&=#/ü', page: 7, log: true, metric: ['a b'] };
  expect(readState(writeState('', state, defaults), defaults)).toEqual(state);
  const shown = { switch: true, list: ['a'] };
  expect(readState(writeState('', { switch: false, list: [] }, shown), shown)).toEqual({ switch: false, list: [] });
});
