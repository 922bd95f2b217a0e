import { expect, test } from 'vitest';
import { nameFor, numberAt } from './marks';

test('the number that a selection touches', () => {
  const line = 'turn 1 gave -1.5e-3 points';
  expect(numberAt(line, 13, 15)).toEqual({ line, start: 12, end: 19 });
  expect(numberAt(line, 5, 6)).toEqual({ line, start: 5, end: 6 });
  expect(numberAt(line, 0, 4)).toBeNull();
  expect(numberAt(line)).toEqual({ line, start: 12, end: 19 });
  expect(numberAt('no number, v2 neither')).toBeNull();
});

test('a name from the word before', () => {
  const mark = (line: string) => nameFor(numberAt(line) as NonNullable<ReturnType<typeof numberAt>>);
  expect(mark('turn 1 gave 1.5 points')).toBe('gave');
  expect(mark('val loss = 0.5')).toBe('loss');
  expect(mark('0.5')).toBe('');
});
