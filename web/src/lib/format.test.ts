import { describe, expect, it } from 'vitest';
import {
  absolute,
  ago,
  bytes,
  clock,
  duration,
  integer,
  number,
  percent,
  plural,
  secondsBetween,
  showTimesIn,
  sizeText,
  spanText,
} from './format';

describe('number', () => {
  it.each([
    [null, '–'],
    [undefined, '–'],
    [Number.NaN, '–'],
    [Number.POSITIVE_INFINITY, '∞'],
    [0, '0'],
    [42, '42'],
    [12345, '12,345'],
    [0.43121, '0.4312'],
    [0.5, '0.5'],
    [12.3456, '12.35'],
    [1234.56, '1,235'.replace(',', '')],
    [-0.25, '-0.25'],
    [0.0000321, '3.21e-5'],
    [1e-8, '1e-8'],
    [123456789, '1.23e8'],
  ])('%s -> %s', (value, text) => expect(number(value)).toBe(text));
});

describe('duration', () => {
  it.each([
    [null, '–'],
    [0.44, '0.4 s'],
    [9.97, '10 s'],
    [59.4, '59 s'],
    [60, '1 min'],
    [200, '3 min 20 s'],
    [3599.6, '1 h'],
    [7500, '2 h 5 min'],
    [86400 * 3 + 3600 * 4, '3 d 4 h'],
  ])('%s -> %s', (seconds, text) => expect(duration(seconds)).toBe(text));
});

describe('times', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  it.each([
    ['2026-03-01T11:59:58Z', 'just now'],
    ['2026-03-01T11:59:30Z', '30 s ago'],
    ['2026-03-01T11:15:00Z', '45 min ago'],
    ['2026-03-01T02:00:00Z', '10 h ago'],
    ['2026-02-20T12:00:00Z', '9 d ago'],
    ['2026-03-01T13:30:00Z', 'in 1 h'],
  ])('%s -> %s', (moment, text) => expect(ago(moment, now)).toBe(text));

  it('measures to now while something runs', () => {
    expect(secondsBetween('2026-03-01T11:59:00Z', null, now)).toBe(60);
    expect(secondsBetween('2026-03-01T11:59:00Z', '2026-03-01T11:59:30Z', now)).toBe(30);
    expect(secondsBetween(null, null, now)).toBeNull();
  });
});

it('formats the rest', () => {
  expect(bytes(0)).toBe('0 B');
  expect(bytes(1536)).toBe('1.5 KiB');
  expect(bytes(16 * 2 ** 30)).toBe('16 GiB');
  expect([1023, 2 ** 30 - 1, 1.25 * 2 ** 30, 140.44 * 2 ** 30, 2 ** 40].map(bytes)).toEqual([
    '1023 B',
    '1 GiB',
    '1.3 GiB',
    '140.4 GiB',
    '1024 GiB',
  ]);
  expect(percent(0.004)).toBe('<1 %');
  expect(percent(0.999)).toBe('99 %');
  expect(percent(1)).toBe('100 %');
  expect(integer(1234.4)).toBe('1,234');
  expect(plural(1, 'task')).toBe('1 task');
  expect(plural(1000, 'task')).toBe('1,000 tasks');
});

it('writes sizes and spans as the server reads them', () => {
  expect([16 * 2 ** 30, 500 * 2 ** 20, 2 ** 40, 1_500_000, null, '4G'].map(sizeText)).toEqual([
    '16G',
    '500M',
    '1T',
    '1500000',
    '',
    '4G',
  ]);
  expect([14_400, 129_600, 90, 5400, 604_800, null].map(spanText)).toEqual(['4h', '1d12h', '1m30s', '1h30m', '7d', '']);
});

it('names the day of a time that is not today', () => {
  const now = new Date(2026, 2, 1, 12).getTime();
  expect(clock(new Date(2026, 2, 1, 14, 5), now)).toMatch(/^0?2:05.PM$|^14:05$/);
  expect(clock(new Date(2026, 2, 3, 14, 5), now)).toMatch(/3.*, /);
});

it('shows times in the zone that somebody has chosen', () => {
  const noon = '2026-03-01T12:00:00Z';
  showTimesIn('Asia/Tokyo');
  expect(absolute(noon)).toMatch(/9:00:00.PM|21:00:00/);
  expect(clock('2026-03-01T20:00:00Z', Date.parse(noon))).toMatch(/2/); // the day after, in Tokyo
  showTimesIn('No/Such_Zone');
  expect(absolute(noon)).not.toMatch(/9:00:00.PM|21:00:00/);
  showTimesIn(undefined);
});
