import { describe, expect, it } from 'vitest';
import { CELLS, cellsOf, fits, NOTHING, PER_DAY, painted, windowsOf } from './week';

const WORK = [0, 1, 2, 3, 4];

describe('windows and cells', () => {
  it('keeps nights whole, also from Sunday into Monday', () => {
    const nights = [{ days: [0, 6], since: '20:00', until: '06:00' }];
    const cells = cellsOf(nights);
    expect(cells.filter(Boolean)).toHaveLength(2 * 20);
    expect(cells[0]).toBe(true); // Monday after midnight
    expect(cells[6 * PER_DAY + 47]).toBe(true); // Sunday before midnight
    expect(windowsOf(cells)).toEqual(nights);
  });

  it('has whole days, and 23:59 as midnight', () => {
    expect(windowsOf(cellsOf([{ days: [2], since: '00:00', until: '23:59' }]))).toEqual([
      { days: [2], since: '00:00', until: '00:00' },
    ]);
    expect(windowsOf(cellsOf([{ days: [2], since: '08:00', until: '08:00' }]))).toEqual([
      { days: [2], since: '08:00', until: '08:00' },
    ]);
    expect(windowsOf(Array(CELLS).fill(true))).toEqual([
      { days: [0, 1, 2, 3, 4, 5, 6], since: '00:00', until: '00:00' },
    ]);
    expect(windowsOf(NOTHING)).toEqual([]);
  });

  it('says the same of any painting once it is written and read', () => {
    let seed = 7;
    const random = () => {
      seed = (seed * 48271) % 2147483647;
      return seed / 2147483647;
    };
    for (let round = 0; round < 200; round++) {
      let cells: boolean[] = [...NOTHING];
      for (let stroke = 0; stroke < 4; stroke++) {
        const [from, to] = [Math.floor(random() * CELLS), Math.floor(random() * CELLS)];
        cells = painted(cells, from, to, random() < 0.7);
      }
      expect(cellsOf(windowsOf(cells))).toEqual(cells);
    }
  });

  it('paints rectangles', () => {
    const cells = painted(NOTHING, 4 * PER_DAY + 40, 16, true); // Friday 20:00 and Monday 8:00 are corners
    expect(windowsOf(cells)).toEqual([{ days: WORK, since: '08:00', until: '20:30' }]);
  });

  it('knows what it cannot show', () => {
    expect(fits([{ days: [0], since: '08:15', until: '10:00' }])).toBe(false);
    expect(fits([{ days: [0], since: '08:30', until: '23:59' }])).toBe(true);
  });
});
