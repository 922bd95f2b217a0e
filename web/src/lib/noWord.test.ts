import { expect, it } from 'vitest';
import { clock } from './format';
import { noWordText } from './noWord';

it('says of how many that run nothing is heard', () => {
  const since = '2026-01-01T10:00:00Z';
  const at = clock(since);
  expect(noWordText({ tasks: 1, since }, 5)).toBe(`No report from 1 of 5 running tasks since ${at}`);
  expect(noWordText({ tasks: 5, since }, 5)).toBe(`No report from the 5 running tasks since ${at}`);
  expect(noWordText({ tasks: 1, since }, 1)).toBe(`No report from the running task since ${at}`);
});
