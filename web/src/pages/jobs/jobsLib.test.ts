import { describe, expect, it } from 'vitest';
import { taskTotal } from '../../parts/states';
import {
  bestText,
  currentView,
  DEFAULTS,
  failureText,
  holdOrder,
  isFiltered,
  nextRow,
  pageCount,
  rangeText,
  select,
  toQuery,
  toSaved,
  toView,
  unendedText,
} from './jobsLib';

const rows = (...ids: string[]) => ids.map((id) => ({ id }));

describe('toQuery', () => {
  it('asks for the first page, newest first, when the address says nothing', () => {
    expect(toQuery(DEFAULTS)).toEqual({ limit: 50, offset: 0 });
  });

  it('takes filters, order and page', () => {
    const view = { q: ' mnist ', state: 'error', tag: 'a', owner: 'eva', sort: 'name', page: 3 };
    expect(toQuery(view)).toEqual({
      q: 'mnist',
      state: 'error',
      tag: 'a',
      owner: 'eva',
      sort: 'name',
      limit: 50,
      offset: 100,
    });
  });

  it('leaves out what the server would refuse', () => {
    expect(toQuery({ ...DEFAULTS, state: 'asleep', sort: 'colour', page: -2.5 })).toEqual({ limit: 50, offset: 0 });
  });
});

it('tells a filtered list from the whole one', () => {
  expect(isFiltered(toQuery({ ...DEFAULTS, sort: 'name', page: 2 }))).toBe(false);
  expect(isFiltered(toQuery({ ...DEFAULTS, q: 'x' }))).toBe(true);
});

it('counts pages, one at least', () => {
  expect([0, 50, 51, 214].map(pageCount)).toEqual([1, 1, 2, 5]);
});

it('says which jobs are shown', () => {
  expect(rangeText(1, 0, 1)).toBe('1 job');
  expect(rangeText(50, 0, 50)).toBe('50 jobs');
  expect(rangeText(1214, 1200, 14)).toBe('1,201–1,214 of 1,214 jobs');
  expect(rangeText(214, 500, 0)).toBe('214 jobs');
});

describe('holdOrder', () => {
  it('lets everything through when nothing is held', () => {
    const fresh = rows('b', 'a');
    expect(holdOrder(fresh, null)).toEqual({ shown: fresh, waiting: 0 });
  });

  it('keeps the order, drops what is gone, and counts what is new', () => {
    expect(holdOrder(rows('d', 'a', 'b'), ['b', 'a', 'c'])).toEqual({ shown: rows('b', 'a'), waiting: 1 });
  });

  it('does not hold another list', () => {
    expect(holdOrder(rows('x', 'y'), ['a', 'b'])).toEqual({ shown: rows('x', 'y'), waiting: 0 });
  });
});

it('says what best means', () => {
  expect(bestText({ objective: { metric: 'val_loss' } })).toBe('lowest val_loss');
  expect(bestText({ objective: { metric: 'acc', goal: 'max' } })).toBe('highest acc');
});

it('says what has not ended', () => {
  expect(unendedText({ running: 3, submitted: 1400 })).toBe('3 running and 1,400 waiting tasks');
  expect(unendedText({ running: 1 })).toBe('1 running task');
  expect(unendedText({ finished: 4 })).toBeNull();
  expect(taskTotal({ finished: 4, error: 1, running: 2 })).toBe(7);
});

it('goes through the rows by key', () => {
  expect(nextRow('ArrowDown', 0, 3)).toBe(1);
  expect(nextRow('ArrowDown', 2, 3)).toBe(2);
  expect(nextRow('ArrowUp', 0, 3)).toBe(0);
  expect(nextRow('End', 0, 3)).toBe(2);
  expect(nextRow('Home', 2, 3)).toBe(0);
  expect(nextRow('x', 1, 3)).toBeNull();
});

describe('select', () => {
  const shown = ['a', 'b', 'c', 'd'];
  it('turns one on and off', () => {
    expect([...select(new Set(), shown, 'b', null)]).toEqual(['b']);
    expect([...select(new Set(['b']), shown, 'b', null)]).toEqual([]);
  });
  it('adds all from the last one, in either direction, and keeps the others', () => {
    expect([...select(new Set(['b']), shown, 'd', 'b')].sort()).toEqual(['b', 'c', 'd']);
    expect([...select(new Set(['d', 'x']), shown, 'c', 'd')].sort()).toEqual(['c', 'd', 'x']);
  });
  it('turns one on where the last one is no longer shown', () => {
    expect([...select(new Set(), shown, 'c', 'gone')]).toEqual(['c']);
  });
});

describe('failureText', () => {
  const failure = { reason: 'CUDA out of memory', tasks: 3, others: 0 };
  it('counts all that failed where they failed for the same reason', () => {
    expect(failureText({ failure, counts: { error: 1200 } })).toBe('1,200 failed: CUDA out of memory');
    expect(failureText({ failure: null, counts: {} })).toBeNull();
  });
  it('says that others failed for other reasons', () => {
    const text = failureText({ failure: { ...failure, others: 2 }, counts: { error: 5 } });
    expect(text).toBe('3 failed: CUDA out of memory (others for other reasons)');
  });
});

describe('saved views', () => {
  it('find the view that is shown, whatever its page', () => {
    const saved = toSaved('failed', { ...DEFAULTS, state: 'error', q: ' resnet ', page: 3 });
    expect(saved).toMatchObject({ name: 'failed', state: 'error', q: 'resnet' });
    const view = { ...DEFAULTS, ...toView(saved) };
    expect(currentView({ ...view, page: 2 }, [saved])).toBe(saved);
    expect(currentView(DEFAULTS, [saved])).toBeUndefined();
  });
});
