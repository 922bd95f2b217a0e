import { expect, it } from 'vitest';
import type { ReservableDevice } from '../../../api/types';
import { HOUR } from '../../../lib/zone';
import { groupsOf, rowsOf } from './rows';
import { shadesOf } from './shades';

const at = (hours: number) => new Date(hours * HOUR).toISOString();
const device = (host: string, number: number) =>
  ({ id: `${host}${number}`, backend: 'lab', host, number, name: `${host}:${number}` }) as ReservableDevice;

it('shades the hours between those that are allowed, over neighbouring rows', () => {
  const rows = rowsOf(groupsOf([device('a', 0), device('a', 1), device('a', 2), device('b', 0)]), new Set());
  const some = {
    devices: ['a0', 'a1', 'b0'],
    hours: [
      { starts_at: at(2), ends_at: at(4) },
      { starts_at: at(6), ends_at: at(12) },
    ],
  };
  const all = { devices: ['a2'], hours: [{ starts_at: at(0), ends_at: at(10) }] };
  const shades = shadesOf([some, all], rows, 0, 10 * HOUR);
  expect(shades.map(({ row, rows: count, from, until }) => [row, count, from / HOUR, until / HOUR])).toEqual([
    [1, 2, 0, 2],
    [1, 2, 4, 6],
    [5, 1, 0, 2],
    [5, 1, 4, 6],
  ]);
  expect(shadesOf([{ devices: ['a0'], hours: [] }], rows, 0, HOUR)).toEqual([
    { row: 1, rows: 1, from: 0, until: HOUR },
  ]);
});
