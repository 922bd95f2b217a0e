import { expect, it } from 'vitest';
import { ownPath, wanted } from './ownPath';

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

it('goes on to where somebody was, and to `next` of the page of signing in', () => {
  const at = (pathname: string, search = '') => wanted({ pathname, search, origin: HERE });
  expect(at('/jobs/abc', '?tab=code')).toBe('/jobs/abc?tab=code');
  expect(at('/', '?sign_in_error=not_authorised')).toBe('/');
  expect(at('/sign-in', '?next=%2Fhosts')).toBe('/hosts');
  expect(at('/sign-in', '?next=%2F%2Fevil.example')).toBe('/');
  expect(at('/sign-in')).toBe('/');
});
