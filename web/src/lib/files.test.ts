import { expect, it, vi } from 'vitest';
import { fromDrop, fromInput, withoutCommonFolder } from './files';

it('drops the folder that holds everything', () => {
  expect(withoutCommonFolder([{ path: 'p/a.py' }, { path: 'p/data/b.csv' }])).toEqual([
    { path: 'a.py' },
    { path: 'data/b.csv' },
  ]);
  expect(withoutCommonFolder([{ path: 'p/a.py' }, { path: 'b.py' }])).toEqual([{ path: 'p/a.py' }, { path: 'b.py' }]);
  expect(withoutCommonFolder([{ path: 'train.py' }])).toEqual([{ path: 'train.py' }]);
  expect(withoutCommonFolder([])).toEqual([]);
});

it('takes a chosen file by its name', async () => {
  const ask = vi.fn();
  expect((await fromInput([new File(['x'], 'train.py')], ask)).files.map(({ path }) => path)).toEqual(['train.py']);
  expect(ask).not.toHaveBeenCalled();
});

it('leaves out what the server says, which is told what the ignore files say', async () => {
  const chosen = (path: string, text = '') =>
    Object.defineProperty(new File([text], path), 'webkitRelativePath', { value: `p/${path}` });
  const ask = vi.fn(async () => ['a.log']);
  const taken = await fromInput([chosen('train.py'), chosen('.gitignore', '*.log'), chosen('a.log')], ask);
  expect(taken.files.map(({ path }) => path)).toEqual(['train.py', '.gitignore']);
  expect(taken.ignored).toBe(1);
  expect((await taken.find('a.log'))?.path).toBe('a.log');
  expect(await taken.find('train.py')).toBeNull();
  expect(ask).toHaveBeenCalledWith(['train.py', '.gitignore', 'a.log'], { '.gitignore': '*.log' });
});

it('reads no folder that the server leaves out', async () => {
  const entry = (fullPath: string, children?: object[]) => {
    const left = [children ?? [], []];
    return {
      fullPath,
      isFile: !children,
      file: (done: (file: File) => void) => done(new File([''], fullPath)),
      createReader: () => ({ readEntries: (done: (part: object[]) => void) => done(left.shift() ?? []) }),
    };
  };
  const unread = { ...entry('/p/.venv', []), createReader: () => expect.unreachable() };
  const folder = entry('/p', [entry('/p/train.py'), entry('/p/lib', [entry('/p/lib/a.py')]), unread]);
  const transfer = { items: [{ webkitGetAsEntry: () => folder }] } as unknown as DataTransfer;
  const taken = await fromDrop(transfer, async (names) => names.filter((name) => name === '.venv/'));
  expect(taken.files.map(({ path }) => path)).toEqual(['train.py', 'lib/a.py']);
  expect(taken.ignored).toBe(1);
});

it('finds a file in a folder that was left out', async () => {
  const file = { file: (done: (file: File) => void) => done(new File(['1'], 'a.csv')) };
  const data = {
    fullPath: '/p/data',
    isFile: false,
    getFile: (path: string, _: unknown, done: (entry: object) => void, failed: () => void) =>
      path === 'deep/a.csv' ? done(file) : failed(),
  };
  const script = { fullPath: '/p/train.py', isFile: true, file: (done: (f: File) => void) => done(new File([], 't')) };
  const left = [[script, data], []];
  const folder = {
    fullPath: '/p',
    isFile: false,
    createReader: () => ({ readEntries: (done: (part: object[]) => void) => done(left.shift() ?? []) }),
  };
  const transfer = { items: [{ webkitGetAsEntry: () => folder }] } as unknown as DataTransfer;
  const taken = await fromDrop(transfer, async () => ['data/']);
  expect((await taken.find('data/deep/a.csv'))?.path).toBe('data/deep/a.csv');
  expect(await taken.find('data/none.csv')).toBeNull();
});
