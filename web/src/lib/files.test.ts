import { expect, it } from 'vitest';
import { fromInput, leftOut, withoutCommonFolder } from './files';

it('drops the folder that holds everything', () => {
  expect(withoutCommonFolder([{ path: 'p/a.py' }, { path: 'p/data/b.csv' }])).toEqual([
    { path: 'a.py' },
    { path: 'data/b.csv' },
  ]);
  expect(withoutCommonFolder([{ path: 'p/a.py' }, { path: 'b.py' }])).toEqual([{ path: 'p/a.py' }, { path: 'b.py' }]);
  expect(withoutCommonFolder([{ path: 'train.py' }])).toEqual([{ path: 'train.py' }]);
  expect(withoutCommonFolder([])).toEqual([]);
});

it('leaves out what no training needs', () => {
  for (const path of ['p/.git/HEAD', '.venv/x', 'a/__pycache__/b.pyc', 'x.pyc', 'a/.DS_Store'])
    expect(leftOut(path)).toBe(true);
  for (const path of ['train.py', 'gitlike/x', 'my.venv.py']) expect(leftOut(path)).toBe(false);
});

it('takes a chosen file by its name', () => {
  expect(fromInput([new File(['x'], 'train.py')]).map(({ path }) => path)).toEqual(['train.py']);
});
