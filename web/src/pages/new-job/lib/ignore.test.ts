import { expect, it } from 'vitest';
import { ignoring } from './ignore';

function kept(lines: string[], ...paths: string[]): string[] {
  const ignored = ignoring(lines);
  return paths.filter((path) => !ignored(path));
}

it('leaves out what no training needs', () => {
  expect(
    kept([], '.git/HEAD', 'a/__pycache__/x', 'a/b.pyc', '.venv/bin/python', '.svn/x', '.ruff_cache/x', 'train.py'),
  ).toEqual(['train.py']);
  expect(kept([], 'venv', 'my.venv.py')).toEqual(['venv', 'my.venv.py']); // a file, not a folder
});

it('reads patterns as git does', () => {
  expect(kept(['*.ckpt', '!keep.ckpt'], 'a.ckpt', 'x/b.ckpt', 'x/keep.ckpt')).toEqual(['x/keep.ckpt']);
  expect(kept(['/data'], 'data/x.csv', 'src/data/x.csv')).toEqual(['src/data/x.csv']);
  expect(kept(['logs/**/*.txt'], 'logs/a.txt', 'logs/x/y/a.txt', 'logs/a.csv')).toEqual(['logs/a.csv']);
  expect(kept(['out/**'], 'out/a', 'out/b/c', 'output')).toEqual(['output']);
  expect(kept(['cache/', '# no', ''], 'cache', 'cache/x', 'no')).toEqual(['cache', 'no']);
  expect(kept(['run[0-9].log', 'v?.bin', 'a\\*'], 'run1.log', 'runx.log', 'v1.bin', 'a*', 'ab')).toEqual([
    'runx.log',
    'ab',
  ]);
});

it('takes nothing back from an ignored folder', () => {
  expect(kept(['data/', '!data/keep'], 'data/keep')).toEqual([]);
});

it('is not upset by a class that cannot be', () => {
  expect(kept(['[z-a]'], 'z')).toEqual(['z']);
});
