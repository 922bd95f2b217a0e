// @vitest-environment happy-dom
import { expect, it, vi } from 'vitest';
import { EMPTY } from './draft';
import { fromTexts } from './files';
import { forget, keep, recall } from './keep';

it('keeps the form, and the files until the page is loaded anew', async () => {
  const files = fromTexts({ 'train.py': 'x' });
  keep('', { draft: { ...EMPTY, name: 'mine' }, files, ignored: 0, names: [] });
  expect(recall('')?.files).toBe(files);
  expect(recall('other')).toBeNull();
  vi.resetModules();
  const later = (await import('./keep')).recall('');
  expect(later?.draft.name).toBe('mine');
  expect(later?.files).toEqual([]);
  expect(later?.names).toEqual(['train.py']);
  forget('');
  expect(recall('')).toBeNull();
});

it('is not upset by something else in its place', () => {
  sessionStorage.setItem('paddock.new-job.odd', '{');
  expect(recall('odd')).toBeNull();
});
