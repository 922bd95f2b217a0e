import { expect, it } from 'vitest';
import { ownPath } from './ownPath';

const HERE = 'http://localhost:54321';

it('keeps paths of this page', () => {
  expect(ownPath('/jobs/abc?tab=code', HERE)).toBe('/jobs/abc?tab=code');
  expect(ownPath('/', HERE)).toBe('/');
});

it.each([
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  'https://evil.example',
  'javascript:alert(1)',
  '/api/v1/jobs',
  '',
  null,
])('leads to the beginning in place of %s', (given) => {
  expect(ownPath(given, HERE)).toBe('/');
});
