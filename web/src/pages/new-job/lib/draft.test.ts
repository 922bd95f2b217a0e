import { expect, it } from 'vitest';
import type { JobSpec } from '../../../api/types';
import { EMPTY, fromSpec, slips, toSpec, variablesOf } from './draft';

it('sends nothing that was not given', () => {
  expect(toSpec({ ...EMPTY, script: 'train.py', params: { lr: ' ', bs: '32,64' } })).toEqual({
    script: 'train.py',
    params: { bs: '32,64' },
    objective: { metric: 'auto' },
    search: { method: 'auto' },
  });
});

it('takes an old job over and back', () => {
  const spec = {
    name: 'old',
    description: 'why',
    tags: ['a'],
    visibility: 'private',
    script: 'sub/train.py',
    reduce: 'python gather.py {results}',
    convention: 'flags',
    params: { lr: { low: 0.001, high: 0.1, log: true, type: 'float' }, opt: { values: ['sgd', 'adam'] } },
    objective: { metric: 'acc', goal: 'max' },
    search: { method: 'random', trials: 7, seed: 3 },
    parallel: 2,
    resources: {
      gpus: 1,
      per_gpu: 'auto',
      cpus: 2,
      backend: 'local',
      slurm: { partition: 'volta', options: ['--exclusive'] },
    },
    environment: { venv: '/v', setup: ['module load cuda'], variables: { A: 'x=y' } },
    metrics: { files: ['out/*.csv'], stdout: false },
    retries: { lost: 0, gpu_oom: 2 },
    grace_seconds: 0.5,
    yields: false,
    terminal: true,
    priority: -3,
    elastic: { give_way: 'never', keep: 2 },
    notify: [],
  } as unknown as JobSpec;
  expect(toSpec(fromSpec(spec))).toEqual({ ...spec, params: { lr: '0.001..0.1:log', opt: 'sgd,adam' } });
});

it('gives a command in place of a script', () => {
  expect(toSpec({ ...EMPTY, mode: 'command', script: 'train.py', command: 'run {x}' })).toMatchObject({
    command: 'run {x}',
  });
  expect(toSpec({ ...EMPTY, mode: 'command', script: 'train.py' })).not.toHaveProperty('script');
});

it('leaves it to the server to refuse what is no number', () => {
  expect(toSpec({ ...EMPTY, trials: 'many' }).search).toEqual({ method: 'auto', trials: 'many' });
});

it('says what only the form can know', () => {
  expect(slips(EMPTY)).toEqual({});
  expect(slips({ ...EMPTY, variables: 'A=1\nB' })).toHaveProperty(['environment.variables']);
  expect(slips({ ...EMPTY, envKind: 'conda' })).toHaveProperty(['environment.conda']);
  expect(slips({ ...EMPTY, resources: { ...EMPTY.resources, triple: '2,,4' } })).toHaveProperty(['resources.triple']);
  expect(slips({ ...EMPTY, resources: { ...EMPTY.resources, triple: '2,8,4' } })).toEqual({});
  expect(variablesOf('A=1\n\nB= x=2')).toEqual({ values: { A: '1', B: ' x=2' }, wrong: null });
});
