import { expect, it } from 'vitest';
import { shellText } from './command';

it('quotes what a shell would take apart', () => {
  expect(shellText(['python', '/a/train.py', '--lr=0.1', '--name', "it's $HOME", ''])).toBe(
    `python /a/train.py --lr=0.1 --name 'it'\\''s $HOME' ''`,
  );
});
