import { describe, expect, it } from 'vitest';
import { epochText, quietText } from './progress';

describe('how far a task is', () => {
  it('counts epochs in one way, whether a script begins with 0 or with 1', () => {
    expect(epochText({ epoch: 9, epochs: 10, epochs_done: 10 })).toBe('10 of 10 epochs');
    expect(epochText({ epoch: 10, epochs: 10, epochs_done: 10 })).toBe('10 of 10 epochs');
    expect(epochText({ epoch: 1, epochs: 1, epochs_done: 1 }, 'file')).toBe('1 of 1 file');
  });

  it('shows the last epoch where their number is not known', () => {
    expect(epochText({ epoch: 9, epochs: null, epochs_done: null })).toBe('epoch 9');
    expect(epochText({})).toBeNull();
  });
});

it('tells silence, from when the server says', () => {
  const task = { reported_at: '2026-11-17T10:00:00Z', quiet_after: '2026-11-17T10:05:00Z' };
  expect(quietText(task, Date.parse('2026-11-17T10:04:59Z'))).toBeNull();
  expect(quietText(task, Date.parse('2026-11-17T10:05:40Z'))).toBe('nothing reported for 5 min');
  expect(quietText(task, Date.parse('2026-11-17T13:05:40Z'))).toBe('nothing reported for 3 h 5 min');
  expect(quietText({}, Date.now())).toBeNull();
});
