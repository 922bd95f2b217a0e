import { expect, it } from 'vitest';
import { means } from './keys';

it('knows shortened ids', () => {
  expect(means('3z2agxp7', '3z2agxp7')).toBe(true);
  expect(means('3z2', '3z2agxp7')).toBe(true);
  expect(means('3z2-4', '3z2agxp7-4')).toBe(true);
  expect(means('3z2-4', '3z2agxp7-41')).toBe(false);
  expect(means('3z2agxp7', '3z2agxp7-4')).toBe(false);
  expect(means('', '3z2agxp7')).toBe(false);
  expect(means({ q: '' }, '3z2agxp7')).toBe(false);
});
