import { expect, it } from 'vitest';
import type { BackendInfo, Resources } from '../../../api/types';
import {
  backendOf,
  excluding,
  isOfTriple,
  isShown,
  joinTriple,
  NO_RESOURCES,
  resourcesOf,
  resourcesText,
  splitTriple,
  textsOf,
  without,
} from './resources';

const backend = (name: string, kind: BackendInfo['kind'], isDefault = false): BackendInfo => ({
  name,
  kind,
  default: isDefault,
  state: 'ok',
  defaults: {},
});

it('writes a range of GPUs as one text, which the server reads', () => {
  const texts = textsOf({ gpus: 1, most_gpus: 4 });
  expect(texts.gpus).toBe('1..4');
  expect(resourcesOf(texts)).toEqual({ gpus: '1..4' });
  expect(resourcesText(texts, '')).toBe('1..4 GPUs');
});

it('writes resources down and reads them back', () => {
  const resources: Resources = {
    backend: 'slurm',
    gpus: 0,
    cpus: 4,
    memory: 16 * 2 ** 30,
    time_limit: 5400,
    launcher: 'torchrun',
    slurm: { nice: 10, options: ['--licenses=a:1', '--exclusive'] },
  };
  const texts = textsOf(resources);
  expect(texts).toMatchObject({
    gpus: '0',
    memory: '16G',
    time_limit: '1h30m',
    options: '--licenses=a:1\n--exclusive',
  });
  expect(resourcesOf(texts)).toEqual({ ...resources, memory: '16G', time_limit: '1h30m' });
  expect(resourcesOf(NO_RESOURCES)).toEqual({});
});

it('writes an image alone, and more about it as JSON', () => {
  const more = { image: '/images/a.sif', engine: 'apptainer' as const, mounts: ['/data'] };
  expect(textsOf({ container: { image: '/images/a.sif', engine: 'auto' } }).container).toBe('/images/a.sif');
  expect(resourcesOf(textsOf({ container: more }))).toEqual({ container: more });
  expect(resourcesOf({ ...NO_RESOURCES, container: 'lab/torch' })).toEqual({ container: 'lab/torch' });
  expect(resourcesOf({ ...NO_RESOURCES, container: '{image' })).toEqual({ container: '{image' });
});

it('takes names of hosts apart', () => {
  const texts = textsOf({ hosts: { only: ['gpu1', 'gpu[3-8]'] } });
  expect(texts.only).toBe('gpu1, gpu[3-8]');
  expect(resourcesOf({ ...texts, only: ' gpu1,gpu2  gpu3, ' })).toEqual({ hosts: { only: ['gpu1', 'gpu2', 'gpu3'] } });
});

it('leaves units to the server', () => {
  const given = resourcesOf({ ...NO_RESOURCES, gpus: 'two', memory: '16', time_limit: '90', options: ' \n--x \n' });
  expect(given).toEqual({ gpus: 'two', memory: 16, time_limit: '90', slurm: { options: ['--x'] } });
});

it('knows where the job would run', () => {
  const all = [backend('local', 'local'), backend('slurm', 'slurm', true), backend('volta', 'slurm')];
  const profiles = { big: { backend: 'volta' }, plain: {} };
  const name = (texts: Partial<typeof NO_RESOURCES>) => backendOf({ ...NO_RESOURCES, ...texts }, all, profiles)?.name;
  expect([name({}), name({ backend: 'local' }), name({ profile: 'big' }), name({ profile: 'plain' })]).toEqual([
    'slurm',
    'local',
    'volta',
    'slurm',
  ]);
  expect(name({ backend: 'local', profile: 'big' })).toBe('local');
  expect(name({ backend: 'gone' })).toBeUndefined();
});

it('hides what means nothing there, unless something is written in it', () => {
  const texts = { ...NO_RESOURCES, account: 'lab' };
  expect(isShown('partition', texts, 'local')).toBe(false);
  expect(isShown('account', texts, 'local')).toBe(true);
  expect(isShown('partition', texts, 'slurm')).toBe(true);
  expect(isShown('partition', texts, undefined)).toBe(true);
  expect(isShown('memory', texts, 'local')).toBe(true);
  expect((['only', 'gpu_type', 'partition'] as const).map((name) => isShown(name, texts, 'hosts'))).toEqual([
    true,
    true,
    false,
  ]);
  expect(isShown('only', texts, 'slurm')).toBe(false);
});

it('says what happens without', () => {
  expect(without('memory', [undefined, { memory: 2 ** 30 }, { memory: 2 ** 31 }], 'x')).toBe('1G');
  expect(without('memory', [{}], 'x')).toBe('x');
  expect(resourcesText({ ...NO_RESOURCES, gpus: '2', memory: '16G', qos: 'a' }, '3')).toBe(
    '2 GPUs, 16G, 1 more, 3 at a time',
  );
});

it('takes sharing and triples over and back', () => {
  const shared = textsOf({ per_gpu: 'auto', gpus: 1 });
  expect(resourcesOf(shared)).toEqual({ per_gpu: 'auto', gpus: 1 });
  expect(resourcesOf(textsOf({ per_gpu: 6 }))).toEqual({ per_gpu: 6 });
  const texts = textsOf({ triple: { nodes: 2, tasks: 8, threads: 4 } });
  expect(texts.triple).toBe('2,8,4');
  expect(resourcesOf(texts)).toEqual({ triple: '2,8,4' });
  expect(resourcesText(shared, '')).toBe('1 GPU, shared by as many as pay');
  expect(resourcesText({ ...texts, qos: 'a' }, '')).toBe('2 × 8 × 4, 1 more');
});

it('splits a triple, and leaves what a triple says to it', () => {
  expect(splitTriple('')).toEqual(['', '', '']);
  expect(splitTriple('2, ,4')).toEqual(['2', '', '4']);
  expect(joinTriple(['', '', ''])).toBe('');
  expect(joinTriple(['2', '', ''])).toBe('2,,');
  const texts = { ...NO_RESOURCES, triple: '1,8,4', cpus: '2' };
  expect([isOfTriple('gpus', texts), isOfTriple('cpus', texts), isOfTriple('memory', texts)]).toEqual([
    true,
    false,
    false,
  ]);
  expect(isOfTriple('gpus', NO_RESOURCES)).toBe(false);
  const at = (some: object) => excluding({ ...NO_RESOURCES, ...some });
  expect([at({}), at({ per_gpu: '2' }), at({ per_gpu: '2', triple: '1,,' })]).toEqual([
    'resources',
    'resources.per_gpu',
    'resources.triple',
  ]);
});
