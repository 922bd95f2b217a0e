import { describe, expect, it } from 'vitest';
import type { Move, SearchReport, TrialReport } from '../../../../api/types';
import { paramAxis } from '../../lib/axis';
import { task } from '../../lib/tasks.fixture';
import { chosenTwo, contourState, fieldOf } from './contour';
import { historyState, records } from './history';
import { lineageState, numberOf } from './lineage';
import { paretoState, stairs } from './pareto';
import { movedNames, scheduleState } from './schedules';
import { bestOf, namesOf, scaleOf, spreadText, trialLabel, trialRanks, trialRows } from './trials';

function trial(number: number, values: (number | null)[], more: Partial<TrialReport> = {}): TrialReport {
  return {
    trial: number,
    tasks: [`abcdefgh-${number}`],
    params: { lr: 10 ** -number, opt: number % 2 ? 'sgd' : 'adam', epochs: 5 },
    state: 'finished',
    values,
    count: 1,
    ...more,
  };
}

function report(history: TrialReport[], more: Partial<SearchReport> = {}): SearchReport {
  return {
    method: 'tpe',
    objectives: [{ metric: 'loss', goal: 'min' }],
    stop_early: {},
    searching: true,
    history,
    importance: { opt: 0.7, lr: 0.3 },
    ...more,
  };
}

const history = [
  trial(1, [0.5], { best: 0.5 }),
  trial(2, [0.7], { best: 0.5, state: 'pruned' }),
  trial(3, [null], { best: 0.5, state: 'error' }),
  trial(4, [0.2], { best: 0.2 }),
  trial(5, [0.3], { best: 0.3 }), // ended before the fourth
  trial(6, [null], { state: 'submitted' }),
];

describe('trials', () => {
  it('are named, ranked and written', () => {
    const given = report(history);
    expect(namesOf(given)).toEqual(['lr', 'opt']);
    expect(bestOf(given)).toBe('abcdefgh-4');
    expect(bestOf(report(history, { objectives: [{}, {}] }))).toBeNull();
    expect(trialRanks(given).get('abcdefgh-2')).toBe(1);
    expect(trialRows(given, ['lr']).slice(0, 2)).toEqual([
      ['trial', 'tasks', 'state', 'lr', 'loss'],
      [1, 'abcdefgh-1', 'finished', '0.1', 0.5],
    ]);
    expect(trialLabel(trial(2, [0.7]), given.objectives, ['opt'])).toBe('Trial 2, finished\nopt adam\nloss: 0.7');
  });

  it('that ran several times have a spread', () => {
    expect(spreadText(trial(1, [0.5], { spread: [0.0123], count: 3 }))).toBe('0.5 ± 0.012');
    expect(spreadText(trial(1, [0.5], { spread: [0], count: 1 }))).toBe('0.5');
    expect(spreadText(trial(1, [null]))).toBe('–');
  });

  it('know the scale of a range', () => {
    const spec = { params: { lr: { low: 1, high: 2, log: true }, n: { low: 1, high: 2 }, opt: { values: [1] } } };
    const scale = (name: string) => scaleOf({ spec } as unknown as Parameters<typeof scaleOf>[0], name);
    expect(['lr', 'n', 'opt', 'other'].map(scale)).toEqual(['log', 'linear', undefined, undefined]);
  });
});

describe('the history', () => {
  it('has a mark for each trial that has something to show', () => {
    const { points } = historyState(report(history), { names: [], log: false, clip: false, bestColor: 'red' });
    expect(points.map(({ id, mark }) => [numberOf(id), mark])).toEqual([
      ['1', 'dot'],
      ['2', 'cross'],
      ['3', 'cross'],
      ['4', 'dot'],
      ['5', 'dot'],
    ]);
    expect(points[2]?.y).toBe(0);
  });

  it('never gets worse, however trials end', () => {
    expect(records(history, false).map((one) => one.trial)).toEqual([1, 4]);
    expect(records([trial(1, [1], { best: 1 }), trial(2, [3], { best: 3 })], true).map((one) => one.value)).toEqual([
      1, 3,
    ]);
  });
});

describe('the map of two parameters', () => {
  it('shows what matters most, unless something else is chosen', () => {
    expect(chosenTwo(['', ''], ['lr', 'opt', 'n'], { opt: 0.7, lr: 0.3 })).toEqual(['opt', 'lr']);
    expect(chosenTwo(['n', ''], ['lr', 'opt', 'n'], { opt: 0.7 })).toEqual(['n', 'opt']);
    expect(chosenTwo(['', 'opt'], ['lr', 'opt'], { opt: 0.7 })).toEqual(['lr', 'opt']);
    expect(chosenTwo(['', ''], ['lr'], {})).toEqual(['lr', '']);
  });

  it('is good near good trials, and does not blend values of a list', () => {
    const many = Array.from({ length: 10 }, (_, i) => i / 9);
    const numeric = paramAxis('x', many, 'linear');
    const field = fieldOf(
      [
        { x: 0.1, y: 0.1, rank: 0 },
        { x: 0.9, y: 0.9, rank: 1 },
      ],
      numeric,
      numeric,
    );
    const at = (x: number, y: number) =>
      field.ranks[Math.floor((1 - y) * field.rows) * field.columns + Math.floor(x * field.columns)] as number;
    expect(at(0.1, 0.1)).toBeLessThan(0.1);
    expect(at(0.9, 0.9)).toBeGreaterThan(0.9);
    const lists = paramAxis('opt', ['a', 'b']);
    const apart = fieldOf(
      [
        { x: 0.25, y: 0.5, rank: 0 },
        { x: 0.75, y: 0.5, rank: 1 },
      ],
      lists,
      numeric,
    );
    const middle = Math.floor(apart.rows / 2) * apart.columns;
    expect(apart.ranks[middle + apart.columns / 2 - 1]).toBeLessThan(0.01);
    expect(apart.ranks[middle + apart.columns / 2]).toBeGreaterThan(0.99);
  });

  it('has the trials with a value, the best on top', () => {
    const job = { spec: {} };
    const state = contourState(report(history), job, ['lr', 'opt'], {
      names: ['lr', 'opt'],
      dark: false,
      colors: new Map([['abcdefgh-2', 'red']]),
    });
    expect(state.points[0]?.color).toBe('red');
    expect(state.points.map(({ id }) => numberOf(id))).toEqual(['2', '1', '5', '4']);
    expect(contourState(report([]), job, ['', ''], { names: [], dark: false, colors: new Map() }).points).toEqual([]);
  });
});

describe('the Pareto front', () => {
  const objectives: SearchReport['objectives'] = [
    { metric: 'loss', goal: 'min' },
    { metric: 'accuracy', goal: 'max' },
  ];
  const both = [
    trial(1, [0.1, 0.5], { front: true }),
    trial(2, [0.3, 0.9], { front: true }),
    trial(3, [0.2, 0.7], { front: true }),
    trial(4, [0.4, 0.6]),
    trial(5, [0.4, null]),
  ];

  it('goes from the best in one to the best in the other', () => {
    expect(stairs(both, [0, 1], objectives).map((one) => one.trial)).toEqual([1, 3, 2]);
    expect(stairs(both, [1, 0], objectives).map((one) => one.trial)).toEqual([2, 3, 1]);
  });

  it('leaves out what lacks an objective', () => {
    const look = { names: [], clip: false, color: 'grey', frontColor: 'red' };
    const { points, front } = paretoState(report(both, { objectives }), [0, 1], look);
    expect(points.map(({ color }) => color)).toEqual(['grey', 'red', 'red', 'red']);
    expect(front).toHaveLength(3);
  });
});

it('draws who went on from whom', () => {
  const move: Move = {
    task: 'abcdefgh-2',
    attempt: 2,
    source: 'abcdefgh-1',
    step: 5,
    before: { lr: 0.1 },
    after: { lr: 0.12 },
    at: '2026-01-01T00:00:00Z',
  };
  const tasks = [task(1, {}, { epoch: 10 }), task(2, {}, { epoch: 8 })];
  const state = lineageState([move, { ...move, source: 'abcdefgh-9' }], tasks, {
    colors: new Map([['abcdefgh-2', 'red']]),
  });
  expect(state.lanes[1]?.color).toBe('red');
  expect(state.moves).toEqual([{ from: 0, to: 1, at: 0.5 }]);
  expect(state.lanes[1]?.label).toContain('epoch 5: from task 1, lr 0.1 → 0.12');
  expect(state.lanes.map(({ to }) => to)).toEqual([1, 0.8]);
});

it('draws a parameter of a population over time, with a mark at each move', () => {
  const move = (name: string, from: string, step: number, before: number, after: number): Move => ({
    task: `abcdefgh-${name}`,
    attempt: 2,
    source: `abcdefgh-${from}`,
    step,
    before: { lr: before, fixed: 1 },
    after: { lr: after, fixed: 1 },
    at: '2026-01-01T00:00:00Z',
  });
  const moves = [move('2', '1', 8, 0.01, 0.001), move('2', '1', 4, 0.1, 0.01)];
  expect(movedNames(moves)).toEqual(['lr']);
  const tasks = [task(1, { lr: 1 }, { epoch: 10 }), task(2, { lr: 0.001 }, { epoch: 8 })];
  const look = { colors: new Map([['abcdefgh-2', 'red']]) };
  const { lines, points, y } = scheduleState(moves, tasks, 'lr', look);
  const places = lines.map(({ steps }) => steps.map((place) => place.map((one) => Number(one.toFixed(3)))));
  expect(y.scale).toBe('log');
  expect(places[0]).toEqual([
    [0, 1],
    [1, 1],
  ]);
  // It begins with what it had, and goes down by ten at each move.
  expect(places[1]).toEqual([
    [0, 0.667],
    [0.4, 0.333],
    [0.8, 0],
    [0.8, 0],
  ]);
  expect(points.filter(({ id }) => id === 'abcdefgh-2')).toHaveLength(3);
  expect(points.at(-1)?.label).toContain('epoch 4: from task 1, 0.1 → 0.01');
});
