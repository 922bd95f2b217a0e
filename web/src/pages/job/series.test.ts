import { expect, it, vi } from 'vitest';
import { Highlight } from '../../lib/highlight';
import { SplitHighlight } from './series';

it('shows the task to others and the curve to the chart', () => {
  const shared = new Highlight();
  const split = new SplitHighlight(shared);
  const drawn = vi.fn();
  split.subscribe(drawn);
  split.set('j-1\nloss');
  expect(shared.get()).toBe('j-1');
  expect(split.get()).toBe('j-1\nloss');
  expect(drawn).toHaveBeenCalledTimes(1);
  split.set('j-1');
  expect(split.get()).toBe('j-1');
  expect(drawn).toHaveBeenCalledTimes(2);
  shared.set('j-2');
  expect(split.get()).toBe('j-2');
  split.set(null);
  expect(shared.get()).toBeNull();
});

it('shows a task of another view as its group', () => {
  const shared = new Highlight();
  const split = new SplitHighlight(shared, new Map([['j-1', 'param.opt=adam']]));
  shared.set('j-1');
  expect(split.get()).toBe('param.opt=adam');
  split.set('param.opt=adam');
  expect(split.get()).toBe('param.opt=adam');
  shared.set('j-2');
  expect(split.get()).toBe('j-2');
});
