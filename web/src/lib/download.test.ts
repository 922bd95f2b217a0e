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

it('leaves nothing that a spreadsheet would carry out', () => {
  expect(csv([['=1+1', '+a', '-2+3', '@SUM(1)', '\t=1', 'a=b', 'val-loss']])).toBe(
    "'=1+1,'+a,'-2+3,'@SUM(1),'\t=1,a=b,val-loss\r\n",
  );
  expect(csv([['-0.5', '+3', '-1e-3', -2, Number.NEGATIVE_INFINITY, '-Infinity']])).toBe(
    '-0.5,+3,-1e-3,-2,-Infinity,-Infinity\r\n',
  );
});

it('makes file names of titles', () => {
  expect(fileName('Two spirals: val/loss.png')).toBe('Two-spirals-val-loss.png');
  expect(fileName('../..')).toBe('paddock');
});
