import { expect, it } from 'vitest';
import type { ImageFile } from '../../../api/types';
import { seriesOf, shownAt, stepsOf } from './series';

const image = (series: string, step: number | null): ImageFile => ({ path: `${series}${step}`, series, step, size: 1 });
const images = [image('a*', 0), image('a*', 20), image('b*', 10), image('once', null)];

it('shows of each series the image of a step', () => {
  const found = seriesOf(images);
  expect(found.map(({ name }) => name)).toEqual(['a*', 'b*', 'once']);
  expect(stepsOf(images)).toEqual([0, 10, 20]);
  expect(found.map((one) => shownAt(one, 10)?.step)).toEqual([0, 10, null]);
  expect(found.map((one) => shownAt(one, 0)?.step)).toEqual([0, 10, null]);
  expect(found.map((one) => shownAt(one, 99)?.step)).toEqual([20, 10, null]);
});
