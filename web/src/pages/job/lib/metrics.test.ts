import { expect, it } from 'vitest';
import { counterpart, grouped } from './metrics';

it('knows training and validation apart', () => {
  const names = ['loss', 'val_loss', 'train/acc', 'val/acc', 'lr'];
  expect(counterpart('val_loss', names)).toBe('loss');
  expect(counterpart('loss', names)).toBe('val_loss');
  expect(counterpart('val/acc', names)).toBe('train/acc');
  expect(counterpart('train/acc', names)).toBe('val/acc');
  expect(counterpart('lr', names)).toBeNull();
});

it('lists what the machine did apart', () => {
  expect(grouped(['val_loss', 'sys/cpu', 'loss', 'val_loss', ''])).toEqual([
    { group: 'Training', items: ['val_loss', 'loss'] },
    { group: 'Node', items: ['sys/cpu'] },
  ]);
});
