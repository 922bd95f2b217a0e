import { expect, it } from 'vitest';
import type { ScriptParam } from '../../../api/types';
import { labelOf } from './fields';
import { aboutParam, passed, placeholderOf, sourceText } from './words';

it('tells about a parameter', () => {
  const param = { name: 'learning_rate', type: 'float', default: 0.1, flag: '--lr', help: 'the step' } as ScriptParam;
  expect(aboutParam(param)).toBe('float · default 0.1 · --lr · the step');
  expect(aboutParam({ ...param, flag: '--learning-rate', default: null, help: null })).toBe('float');
  expect(placeholderOf(param)).toBe('0.1');
  expect(placeholderOf({ ...param, required: true })).toBe('required');
  expect(placeholderOf(null)).toBe('');
});

it('has a word for what it does not know', () => {
  expect(passed('flags')).toBe('as flags');
  expect(passed('new')).toBe('as new');
  expect(sourceText('stdout')).toBe('printed lines');
  expect(sourceText('new')).toBe('new');
});

it('names fields', () => {
  expect(labelOf('params.a.b')).toBe('a.b');
  expect(labelOf('environment.conda')).toBe('conda');
  expect(labelOf('grace_seconds')).toBe('grace seconds');
});
