import { expect, it } from 'vitest';
import { diffLines, factsOf, resourceText } from './facts';

it('names where the code comes from, and with what it runs', () => {
  const spec = {
    script: 'train.py',
    environment: { venv: '/envs/a', setup: ['module load cuda', 'ulimit -n 4096'], variables: { KEY: '…' } },
    resources: { gpus: 2, time_limit: null, slurm: { partition: 'gpu', options: [] } },
  };
  expect(factsOf(spec as never, { git_commit: 'abc', git_dirty: true })).toEqual([
    { name: 'Git commit', value: 'abc, with changes that are not committed' },
    { name: 'Script', value: 'train.py' },
    { name: 'Virtual environment', value: '/envs/a' },
    { name: 'Set-up', value: 'module load cuda\nulimit -n 4096' },
    { name: 'Variables', value: 'KEY' },
    { name: 'Resources', value: 'gpus 2, slurm: partition gpu' },
  ]);
  expect(resourceText({})).toBe('');
});

it('tells the lines of a diff apart', () => {
  expect(diffLines('--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n same\n')).toEqual([
    { kind: 'place', text: '@@ -1 +1 @@' },
    { kind: 'remove', text: '-old' },
    { kind: 'add', text: '+new' },
    { kind: 'same', text: ' same' },
  ]);
});
