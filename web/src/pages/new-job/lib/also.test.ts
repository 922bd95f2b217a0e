import { expect, it } from 'vitest';
import type { JobSpec } from '../../../api/types';
import { alsoOf, alsoWords } from './also';

/** As the server gives it: with what nobody asked for. */
const PLAIN = {
  name: 'plain',
  script: 'train.py',
  parallel: 4,
  terminal: false,
  priority: 0,
  elastic: { give_way: null, keep: null, keep_size: null },
  notify: null,
} as JobSpec;

it('takes along what was asked for, and nothing else', () => {
  expect(alsoOf(PLAIN)).toEqual({});
  expect(alsoOf({ ...PLAIN, priority: 5, terminal: true })).toEqual({ terminal: true });
  expect(alsoOf({ ...PLAIN, notify: [] })).toEqual({ notify: [] });
});

it('takes along what it has never heard of', () => {
  const also = alsoOf({ ...PLAIN, colour: { of: 'sky' } } as JobSpec);
  expect(also).toEqual({ colour: { of: 'sky' } });
  expect(alsoWords(also)).toEqual([['colour', 'colour: {"of":"sky"}']]);
});

it('says it in words', () => {
  const words = (spec: Partial<JobSpec>) => alsoWords(alsoOf({ ...PLAIN, ...spec })).map(([, text]) => text);
  expect(words({ terminal: true })).toEqual(['a terminal for each task']);
  expect(words({ notify: [] })).toEqual(['no messages outside the page']);
  expect(words({ notify: ['failed'] })).toEqual(['messages: tasks fail']);
});
