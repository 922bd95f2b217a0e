import { expect, it } from 'vitest';
import { forPreflight, forPreview, likelyScript, scriptsOf, tooLarge, withoutOutputs } from './files';

const sized = (path: string, size: number) => ({ path, file: { size } as File });

it('chooses the script where there is no doubt', () => {
  expect(likelyScript(['a.py', 'train.py'])).toBe('train.py');
  expect(likelyScript(['a.py', 'lib/b.py'])).toBe('a.py');
  expect(likelyScript(['src/run.py', 'x.txt'])).toBe('src/run.py');
  expect(likelyScript(['a.py', 'b.py'])).toBeNull();
  expect(likelyScript([])).toBeNull();
  expect(scriptsOf(['x/a.py', 'b.py', 'c.txt'])).toEqual(['b.py', 'x/a.py']);
});

it('says what is too large, and which files', () => {
  expect(tooLarge([sized('train.py', 1000)])).toBeNull();
  expect(tooLarge([sized('train.py', 10), sized('data.bin', 2e8)])).toContain('data.bin (190.7 MiB)');
  expect(tooLarge(Array.from({ length: 5001 }, (_, i) => sized(`${i}`, 1)))).toContain('5,001 files');
});

it('sends the script alone for a preview of much', () => {
  const many = [sized('train.py', 10), sized('data.bin', 3e6)];
  expect(forPreview(many, 'train.py').map(({ path }) => path)).toEqual(['train.py']);
  expect(forPreview(many.slice(0, 1), null)).toHaveLength(1);
});

it('knows notebooks and scripts of other languages', () => {
  expect(likelyScript(['train.ipynb', 'helper.sh'])).toBe('train.ipynb');
  expect(likelyScript(['fit.R'])).toBe('fit.R');
  expect(likelyScript(['run'])).toBe('run');
  expect(scriptsOf(['x/a.py', 'run.sh', 'b.ipynb', 'c.txt'])).toEqual(['b.ipynb', 'run.sh', 'x/a.py']);
});

it('sends code and names to look for what is missing, and no outputs of notebooks', () => {
  const sent = forPreflight([sized('a.py', 10), sized('data.bin', 3e8), sized('b.py', 3e6)]);
  expect(sent.map(({ path, file }) => [path, file.size])).toEqual([
    ['a.py', 10],
    ['data.bin', 0],
    ['b.py', 0],
  ]);
  const book = JSON.stringify({ cells: [{ source: 'x', outputs: ['long'] }] });
  expect(withoutOutputs('a.ipynb', book)).not.toContain('long');
  expect(withoutOutputs('a.py', book)).toBe(book);
  expect(withoutOutputs('a.ipynb', 'no json')).toBe('no json');
});
