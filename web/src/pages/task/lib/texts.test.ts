import { describe, expect, it } from 'vitest';
import { commandText, shellQuote } from './command';
import { carriedSearch, neighbours } from './neighbours';
import { errorText } from './traceback';
import { causeWords } from './words';

describe('commandText', () => {
  it('quotes what a shell would take apart', () => {
    expect(commandText(['python', 'train.py', '--lr=0.1', '--name', "it's <b>$HOME</b>", ''])).toBe(
      "python train.py --lr=0.1 --name 'it'\\''s <b>$HOME</b>' ''",
    );
    expect(shellQuote('a b')).toBe("'a b'");
  });
});

describe('errorText', () => {
  it('begins at the traceback', () => {
    const log = 'epoch 1\nTraceback (most recent call last):\n  File "a.py", line 1\nNameError: x\n\n';
    expect(errorText(log)).toEqual({
      found: true,
      text: 'Traceback (most recent call last):\n  File "a.py", line 1\nNameError: x',
    });
  });

  it('is the last lines where no error is in sight, and nothing for an empty log', () => {
    const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`).join('\n');
    expect(errorText(lines)?.found).toBe(false);
    expect(errorText(lines)?.text.split('\n')).toHaveLength(15);
    expect(errorText('\n\n')).toBeNull();
  });

  it('is that of the command, not of the driver of a map', () => {
    const driver = [
      'Traceback (most recent call last):',
      '  File "/home/jobs/x/code/.paddock-map/map.py", line 81, in main',
      '    raise FilesFailed("; ".join(failures[:2]))',
      'FilesFailed: exit code 1',
      '',
    ];
    const said = ['file 1 of 1: /photos/c.txt', 'cp: no space left', 'failed: exit code 1'];
    expect(errorText([...said, ...driver].join('\n'))).toEqual({ found: false, text: said.join('\n') });
    const raised = ['Traceback (most recent call last):', '  File "shrink.py", line 1, in main', 'ValueError: no'];
    expect(errorText([...raised, ...driver].join('\n'))).toEqual({ found: true, text: raised.join('\n') });
  });

  it('has an end', () => {
    const log = `Traceback (most recent call last):\n${'  x\n'.repeat(500)}`;
    expect(errorText(log)?.text.endsWith('… 301 more lines in the log')).toBe(true);
  });
});

describe('neighbours', () => {
  it('ends at both ends', () => {
    expect(neighbours({ id: 'abc-1', number: 1 }, 3)).toEqual({ previous: null, next: 'abc-2' });
    expect(neighbours({ id: 'a9-3', number: 3 }, 3)).toEqual({ previous: 'a9-2', next: null });
    expect(neighbours({ id: 'a9-1', number: 1 }, 0)).toEqual({ previous: null, next: null });
  });

  it('keeps how graphs are drawn', () => {
    expect(carriedSearch('attempt=2&smooth=0.5')).toBe('?smooth=0.5');
    expect(carriedSearch('attempt=2')).toBe('');
  });
});

describe('causeWords', () => {
  it('has words for what it does not know', () => {
    expect(causeWords(null).title).toBe('The task failed');
    expect(causeWords('gpu_oom').title).toBe('The GPU ran out of memory');
    expect(causeWords('gpu_oom', true)).toEqual(causeWords('gpu_oom'));
    expect(causeWords('user_error').title).toBe('The script failed');
    expect(causeWords('user_error', true).title).toBe('The command failed');
  });
});
