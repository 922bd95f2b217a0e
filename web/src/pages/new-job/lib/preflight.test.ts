import { expect, it } from 'vitest';
import { leftOut } from './preflight';

const named = (path: string, read = true) => ({ path, read, where: 'train.py, line 1' });

it('shows what is here and left out, and what is read for sure', async () => {
  const find = async (path: string) => (path === 'data/a.csv' ? { path, file: new File([], path) } : null);
  const files = [named('data/a.csv', false), named('b.csv'), named('weights.pt', false), named('../x.csv')];
  const found = await leftOut(files, find);
  expect(found.map(({ named: { path }, here }) => [path, here])).toEqual([
    ['data/a.csv', true],
    ['b.csv', false],
    ['../x.csv', false],
  ]);
  expect((await leftOut(files, undefined)).map(({ here }) => here)).toEqual([false, false]);
});
