import { describe, expect, it } from 'vitest';
import { paramLabel, paramNames, spaceText, valueText } from './params';

describe('spaceText', () => {
  it.each([
    [{ values: [0.3, 0.03] }, '0.3,0.03'],
    [{ values: ['adam', 'sgd'] }, 'adam,sgd'],
    [{ values: ['1.10', 'a,b', 'true', ''] }, '"1.10","a,b","true",""'],
    [{ values: ['say "hi"'] }, `'say "hi"'`],
    [{ values: [[64, 32], [128]] }, '[64,32],[128]'],
    [{ values: [true, null] }, 'true,null'],
    [{ low: 1, high: 8, type: 'int' as const, log: false }, '1..8'],
    [{ low: 32, high: 256, step: 32, type: 'int' as const, log: false }, '32..256:32'],
    [{ low: 0.0001, high: 0.1, type: 'float' as const, log: true }, '0.0001..0.1:log'],
    [{ low: 0, high: 1, type: 'float' as const, log: false }, '0.0..1.0'],
    [{ values: [1], when: { optimizer: ['sgd', 'x if y'], on: [true] } }, '1 if optimizer=sgd,"x if y" and on=true'],
    [
      { repeat: [1, 3] as [number, number], block: { width: { low: 8, high: 16, type: 'int' as const, log: false } } },
      '{"repeat":[1,3],"block":{"width":"8..16"}}',
    ],
  ])('%j -> %s', (space, text) => expect(spaceText(space)).toBe(text));
});

it('finds the parameters that differ', () => {
  const tasks = [
    { params: { lr: 0.1, epochs: 5, net: [1, 2] } },
    { params: { lr: 0.2, epochs: 5, net: [1, 2], extra: 1 } },
  ];
  expect(paramNames(tasks)).toEqual({ all: ['lr', 'epochs', 'net', 'extra'], varying: ['lr', 'extra'] });
  expect(paramNames([])).toEqual({ all: [], varying: [] });
});

it('labels a configuration', () => {
  expect(paramLabel({ lr: 0.1, name: 'x' }, ['lr', 'name', 'gone'])).toBe('lr 0.1 · name x');
  expect(valueText({ a: 1 })).toBe('{"a":1}');
});
