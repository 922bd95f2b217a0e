import { describe, expect, it } from 'vitest';
import { paramAxis, valueAxis } from './axis';
import { brushed, chips, places, replaced, word } from './brush';
import { groupings, groupsOf, meanOf } from './groups';
import { task } from './tasks.fixture';

const tasks = Array.from({ length: 12 }, (_, i) =>
  task(i + 1, { lr: 10 ** -(i % 4), opt: i < 6 ? 'adam' : 'my sgd', noise: i }, { trial: Math.floor(i / 3) + 1 }),
);
const shape = { all: ['lr', 'opt', 'noise'], varying: ['lr', 'opt', 'noise'], repeated: true };

describe('groups', () => {
  it('are made by a parameter with few values, or by repetitions', () => {
    expect(groupings(tasks, shape)).toEqual(['trial', 'param.lr', 'param.opt']);
    const groups = groupsOf(tasks, 'param.opt', shape);
    expect(groups?.all.map(({ label, tasks: own, word: text }) => [label, own.length, text])).toEqual([
      ['opt adam', 6, 'opt=adam'],
      ['opt my sgd', 6, 'opt="my sgd"'],
    ]);
    expect(groups?.of.get('abcdefgh-7')).toBe('param.opt=my sgd');
  });

  it('are the repetitions of a configuration when nothing else is asked for', () => {
    expect(groupsOf(tasks, '', shape)?.all[0]?.label).toBe('1: opt adam'); // the others differ between repetitions
    expect(groupsOf(tasks, '', shape)?.all.map(({ word: text }) => text)).toEqual([
      'trial=1',
      'trial=2',
      'trial=3',
      'trial=4',
    ]);
    expect(groupsOf(tasks, '', { ...shape, repeated: false })).toBeNull();
    expect(groupsOf(tasks, 'none', shape)).toBeNull();
    expect(groupsOf(tasks, 'param.gone', shape)).toBeNull();
  });
});

describe('the mean of curves', () => {
  it('is taken at the steps of all, with a standard deviation around it', () => {
    const mean = meanOf([
      { steps: [0, 2, 4], values: [1, 3, 5] },
      { steps: [0, 1, 2], values: [3, 4, 5] },
    ]);
    expect(mean.steps).toEqual([0, 1, 2, 4]);
    expect(mean.values).toEqual([2, 3, 4, 5]); // at step 4 there is but one
    expect(mean.high[0]).toBeCloseTo(2 + Math.SQRT2);
    expect(mean.low[0]).toBeCloseTo(2 - Math.SQRT2);
    expect(mean.low[3]).toBe(5);
  });

  it('has few steps, and both ends', () => {
    const steps = Array.from({ length: 5000 }, (_, i) => i);
    const mean = meanOf([{ steps, values: steps }]);
    expect(mean.steps.length).toBeLessThanOrEqual(301);
    expect([mean.steps[0], mean.steps.at(-1)]).toEqual([0, 4999]);
  });
});

describe('a brush', () => {
  const numbers = Array.from({ length: 20 }, (_, i) => 10 ** (-4 + i * 0.2));
  const lr = paramAxis('lr', numbers);
  const opt = paramAxis('opt', ['adam', 'my sgd', 'lion']);

  it('is words of the filter, and is found again from them', () => {
    const words = brushed(lr, 'lr', 0.25, 0.75);
    expect(words.map((one) => one.slice(0, 4))).toEqual(['lr>=', 'lr<=']);
    const [low = 0, high = 0] = places(lr, 'lr', words) ?? [];
    expect(low).toBeCloseTo(0.25, 2);
    expect(high).toBeCloseTo(0.75, 2);
    expect(brushed(opt, 'opt', 0.3, 1)).toEqual(['opt=lion|"my sgd"']);
    expect(places(opt, 'opt', ['opt=lion|"my sgd"'])?.[1]).toBeCloseTo(1);
    expect(brushed(opt, 'opt', 0.2, 0.3)).toEqual([]);
    expect(places(opt, 'opt', ['lr>=3'])).toBeNull();
  });

  it('leaves in what lies at its ends', () => {
    const axis = valueAxis('loss', [0.123456, 0.987654]);
    const [from = '', to = ''] = brushed(axis, 'best', axis.place(0.123456) as number, axis.place(0.987654) as number);
    expect(Number(from.slice('best>='.length))).toBeLessThanOrEqual(0.123456);
    expect(Number(to.slice('best<='.length))).toBeGreaterThanOrEqual(0.987654);
    expect(Number(brushed(valueAxis('r', [-5, -1]), 'r', 0, 1)[0]?.slice(3))).toBeLessThanOrEqual(-5);
  });

  it('replaces the one of the same parameter, and is shown in words', () => {
    const words = replaced(['lr>=0.1', 'lr<=1', 'opt=adam'], 'lr', ['lr>=0.5', 'lr<=0.7']);
    expect(words).toEqual(['opt=adam', 'lr>=0.5', 'lr<=0.7']);
    expect(chips(words)).toEqual([
      { name: 'opt', text: 'adam' },
      { name: 'lr', text: '0.5 – 0.7' },
    ]);
    expect(word('my name', '=', 'a b', 'c')).toBe('"my name"="a b"|c');
  });
});
