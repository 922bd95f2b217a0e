import { expect, it } from 'vitest';
import type { JobSpec } from '../../../api/types';
import { isRange, NO_ROOM, roomOf, roomText, roomTextsOf } from './room';

it('sends what was given, and nothing else', () => {
  expect(roomOf(NO_ROOM)).toEqual({});
  const all = { priority: '-3', giveWay: 'now', keep: '0', keepSize: true } as const;
  const sent = { priority: -3, elastic: { give_way: 'now', keep: 0, keep_size: true } };
  expect(roomOf(all)).toEqual(sent);
  expect(roomTextsOf(sent as unknown as JobSpec)).toEqual(all);
  expect(roomOf({ ...NO_ROOM, keep: 'some' })).toEqual({ elastic: { keep: 'some' } });
});

it('is empty for a job as the server gives it when nobody asked for anything', () => {
  const spec = { priority: 0, elastic: { give_way: null, keep: null, keep_size: null } } as JobSpec;
  expect(roomTextsOf(spec)).toEqual(NO_ROOM);
});

it('says what it holds', () => {
  expect(roomText(NO_ROOM)).toBe('the server’s defaults');
  expect(roomText({ ...NO_ROOM, priority: '5', giveWay: 'between', keep: '2' })).toBe(
    'priority 5, makes room between two tasks, keeps 2 for itself',
  );
});

it('knows a range of GPUs', () => {
  expect(isRange('1..4')).toBe(true);
  expect(isRange('4')).toBe(false);
  expect(isRange('')).toBe(false);
});
