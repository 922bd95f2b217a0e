import { expect, it } from 'vitest';
import { type Across, placesOf } from './across';

const curve = { task: 'j-1', metric: 'loss', steps: [0, 100, 200, 250], values: [4, 3, 2, 1], total: 4 };
const times = [1000, 1010, 1005, 1030];
const given: Across = { x: '', starts: new Map([['j-1', 990]]), epochs: new Map() };

it('counts steps, epochs, seconds since the start or the time of day', () => {
  expect(placesOf({ ...curve, times }, given)).toEqual([0, 100, 200, 250]);
  expect(placesOf({ ...curve, times }, { ...given, x: 'relative' })).toEqual([10, 20, 20, 40]);
  expect(placesOf({ ...curve, times }, { ...given, x: 'wall' })).toEqual([1000, 1010, 1010, 1030]);
  expect(placesOf({ ...curve, times }, { ...given, x: 'relative', starts: new Map() })).toEqual([0, 10, 10, 30]);
  const epochs = new Map([['j-1', { steps: [100, 200], values: [0, 1] }]]);
  expect(placesOf({ ...curve, times: [] }, { ...given, x: 'epoch', epochs })).toEqual([0, 0, 1, 1]);
  expect(placesOf({ ...curve, times: [] }, { ...given, x: 'epoch' })).toEqual([0, 100, 200, 250]);
});
