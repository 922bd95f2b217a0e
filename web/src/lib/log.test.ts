import { describe, expect, it } from 'vitest';
import { cleanLine, findError, findText, LogLines, splitMatches } from './log';

describe('cleanLine', () => {
  it('strips colours, links and titles', () => {
    expect(cleanLine('\u001b[1;31mred\u001b[0m plain')).toBe('red plain');
    expect(cleanLine('\u001b]0;title\u0007text\u001b[2K')).toBe('text');
  });
  it('keeps what a progress bar showed last', () => {
    expect(cleanLine('10%\r50%\r100%')).toBe('100%');
    expect(cleanLine('windows line\r')).toBe('windows line');
  });
  it('leaves HTML as it is: it is only text', () => {
    expect(cleanLine('<b onclick="x">&amp;</b>')).toBe('<b onclick="x">&amp;</b>');
  });
});

describe('LogLines', () => {
  it('joins what comes in pieces', () => {
    const log = new LogLines();
    for (const piece of ['one\ntw', 'o\n', 'thr', 'ee']) log.add(piece);
    expect(log.lines).toEqual(['one', 'two', 'three']);
    log.add('\n');
    log.add('four\n\n');
    expect(log.lines).toEqual(['one', 'two', 'three', 'four', '']);
  });
  it('joins an escape sequence and a carriage return that were cut in two', () => {
    const log = new LogLines();
    for (const piece of ['a\u001b[3', '1mb', '\r', 'c\n']) log.add(piece);
    expect(log.lines).toEqual(['c']);
  });
});

describe('findError', () => {
  it('finds the beginning of the last traceback', () => {
    const lines = [
      'ok',
      'Traceback (most recent call last):',
      '  File "x.py", line 1',
      '    f()',
      'ValueError: no',
      'bye',
    ];
    expect(findError(lines)).toBe(1);
  });
  it('finds errors without one', () => {
    expect(findError(['epoch 1', 'RuntimeError: CUDA out of memory. Tried', ''])).toBe(1);
    expect(
      findError(['Traceback (most recent call last):', '  x', 'KeyError: 1', 'fine', 'torch.OutOfMemoryError: x']),
    ).toBe(4);
    expect(findError(['epoch 1 error 0.3', 'mean_error: 3'])).toBe(-1);
  });
});

it('searches', () => {
  expect(findText(['Loss 1', 'acc', 'loss 2'], 'LOSS')).toEqual([0, 2]);
  expect(findText(['a'], '')).toEqual([]);
  expect(splitMatches('a loss, Loss', 'loss')).toEqual([
    ['a ', false],
    ['loss', true],
    [', ', false],
    ['Loss', true],
  ]);
});
