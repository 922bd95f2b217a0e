import { describe, expect, it } from 'vitest';
import { paramOf } from '../Matters';
import { parallelState, type Ranked } from './parallel';
import { ranks, sameMap } from './ranks';
import { fixedParams, taskRows } from './rows';
import { middle, scatterState } from './scatter';
import { task } from './tasks.fixture';

const tasks = Array.from({ length: 24 }, (_, i) =>
  task(
    i + 1,
    { lr: 10 ** -(i % 4), opt: i % 2 ? 'adam' : 'sgd', noise: i, epochs: 5 },
    { best_value: (i % 4) + i / 100 },
  ),
);
const waiting = task(25, { lr: 1, opt: 'sgd', noise: 24, epochs: 5 }, { state: 'submitted' });

function ranked(given = tasks, goal: 'min' | 'max' = 'min'): Ranked {
  const labels = new Map(given.map(({ id, number }) => [id, `${number}`]));
  const best = 'abcdefgh-1';
  return {
    tasks: given,
    metric: 'loss',
    goal,
    ranks: ranks(given, goal),
    labels,
    best,
    colors: new Map(given.map(({ id, number }) => [id, `#${number}`])),
    around: null,
    brush: [],
    log: false,
    clip: false,
  };
}

describe('ranks', () => {
  it('go from the best to the worst, by the goal', () => {
    expect(ranks([...tasks, waiting], 'min').get('abcdefgh-1')).toBe(0);
    expect(ranks(tasks, 'max').get('abcdefgh-1')).toBe(1);
    expect(ranks([...tasks, waiting], 'min').has(waiting.id)).toBe(false);
    expect(ranks([], 'min').size).toBe(0);
  });

  it('can be compared', () => {
    expect(sameMap(ranks(tasks, 'min'), ranks([...tasks], 'min'))).toBe(true);
    expect(sameMap(ranks(tasks, 'min'), ranks(tasks, 'max'))).toBe(false);
  });
});

describe('parallel coordinates', () => {
  it('have a line for each task with a value, the best drawn last', () => {
    const { axes, lines } = parallelState(['lr', 'opt'], ranked([...tasks, waiting]));
    expect(axes.map(({ name }) => name)).toEqual(['lr', 'opt', 'loss']);
    expect(lines).toHaveLength(24);
    expect(lines.at(-1)?.id).toBe('abcdefgh-1');
    expect(lines.every(({ at }) => at.every((place) => place !== null && place >= 0 && place <= 1))).toBe(true);
  });
});

describe('the scatter', () => {
  it('spreads categories without mixing them, and marks their middle', () => {
    const { points, medians } = scatterState('opt', '', ranked());
    const adam = points.filter(({ id }) => Number(id.split('-')[1]) % 2 === 0);
    expect(adam.every(({ x }) => x < 0.5)).toBe(true);
    expect(medians).toHaveLength(2);
    expect(middle([3, 1, 2])).toBe(2);
    expect(middle([1, 2])).toBe(1.5);
  });

  it('leaves out tasks without the parameter', () => {
    expect(scatterState('other', '', ranked()).points).toEqual([]);
  });
});

it('shows a part of a parameter with the whole of it', () => {
  expect(paramOf('lr', ['lr', 'layers'])).toBe('lr');
  expect(paramOf('layers.0.width', ['lr', 'layers'])).toBe('layers');
  expect(paramOf('layers.0.width', ['lr'])).toBeUndefined();
});

it('writes configurations as rows', () => {
  const rows = taskRows(tasks.slice(0, 1), ['lr', 'none'], 'loss');
  expect(rows[0]).toEqual(['task', 'number', 'state', 'lr', 'none', 'best loss', 'at epoch']);
  expect(rows[1]?.slice(0, 6)).toEqual(['abcdefgh-1', 1, 'finished', '1', null, 0]);
  expect(fixedParams(tasks, ['lr', 'opt', 'noise'])).toEqual({ epochs: 5 });
});
