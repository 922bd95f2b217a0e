import { expect, it } from 'vitest';
import { csv, fileName } from './download';

it('quotes what needs it', () => {
  expect(
    csv([
      ['a', 'b,c'],
      ['say "x"', 1.5],
      [null, true],
    ]),
  ).toBe('a,"b,c"\r\n"say ""x""",1.5\r\n,true\r\n');
});

it('makes file names of titles', () => {
  expect(fileName('Two spirals: val/loss.png')).toBe('Two-spirals-val-loss.png');
  expect(fileName('../..')).toBe('paddock');
});
