import { expect, it } from 'vitest';
import { inRanges, rangesText } from './ranges';

it('writes numbers shortly', () => {
  expect(rangesText([])).toBe('');
  expect(rangesText([7, 1, 2, 3, 3])).toBe('1-3,7');
  expect(rangesText(Array.from({ length: 1000 }, (_, i) => i + 1))).toBe('1-1000');
});

it('reads them back, and leaves out what it does not understand', () => {
  const has = inRanges('1-3, 7,x,-2,9-');
  expect([0, 1, 2, 3, 4, 7, 9].filter(has)).toEqual([1, 2, 3, 7]);
  expect(inRanges('')(1)).toBe(false);
});
