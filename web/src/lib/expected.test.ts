import { expect, it } from 'vitest';
import { bandText } from './expected';

const now = Date.parse('2026-11-17T10:00:00Z');
const band = { early: '2026-11-17T11:40:00Z', likely: '2026-11-17T12:00:00Z', late: '2026-11-17T12:30:00Z' };

it('says when something will be', () => {
  expect(bandText(null, now)).toBe(null);
  expect(bandText({ ...band, unsure: false }, now)).toMatch(/:40.* to .*:30/);
  expect(bandText({ ...band, unsure: true }, now)).toMatch(/^about .*:00.*, unsure$/);
  expect(bandText({ ...band, late: band.early, unsure: false }, now)).toMatch(/^at .*:40/);
});

it('is never in the past', () => {
  const later = Date.parse('2026-11-17T12:10:00Z');
  expect(bandText({ ...band, unsure: false }, later)).toMatch(/:10.* to .*:30/);
  expect(bandText({ ...band, unsure: false }, Date.parse('2026-11-17T13:00:00Z'))).toBe('in less than a minute');
});
