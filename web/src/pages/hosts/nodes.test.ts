import { expect, it } from 'vitest';
import type { BackendInfo, Device, Node } from '../../api/types';
import {
  byJob,
  bytesOf,
  byUse,
  coreText,
  gpuKinds,
  gpuUse,
  grouped,
  matching,
  memoryUsed,
  ofKind,
  share,
  splitTask,
  tasksOn,
  totals,
  usedOf,
} from './nodes';

const gpu = (id: string, ...tasks: string[]): Device => ({
  id,
  kind: 'gpu',
  used_by: tasks.map((t) => `k-${t}`),
  tasks,
});
const slot = (id: string, ...tasks: string[]): Device => ({ ...gpu(id, ...tasks), kind: 'cpu' });
const node = (name: string, devices: Device[]): Node => ({
  name,
  backend: 'local',
  cpus: 8,
  slots: devices.length,
  slots_used: usedOf(devices),
  cpu_slots: 8,
  tasks: [...new Set(devices.flatMap(({ tasks = [] }) => tasks))],
  devices,
});

it('adds the nodes up', () => {
  const nodes = [node('a', [gpu('0', 'j-1'), gpu('1')]), node('b', [slot('0', 'j-2'), slot('1', 'j-2'), slot('2')])];
  expect(totals(nodes)).toEqual({
    nodes: 2,
    slots: 5,
    slotsFree: 2,
    gpus: 2,
    gpusFree: 1,
    cpus: 16,
    cpusTold: 0,
    cpusUsed: null,
    tasks: 2,
  });
  expect(totals([])).toEqual({
    nodes: 0,
    slots: 0,
    slotsFree: 0,
    gpus: 0,
    gpusFree: 0,
    cpus: 0,
    cpusTold: 0,
    cpusUsed: null,
    tasks: 0,
  });
  const told = nodes.map((one, i) => ({ ...one, cpus_used: i ? 1.5 : null }));
  expect(totals(told)).toMatchObject({ cpus: 16, cpusTold: 8, cpusUsed: 1.5 });
});

it('names each task once, with all its devices', () => {
  expect(tasksOn([slot('0', 'j-2'), slot('1', 'j-2', 'j-3'), slot('2')])).toEqual([
    { task: 'j-2', devices: ['0', '1'] },
    { task: 'j-3', devices: ['1'] },
  ]);
  expect(ofKind([gpu('0'), slot('0')], 'gpu')).toHaveLength(1);
});

it('takes the id of a task apart', () => {
  expect(splitTask('3z2agxp7-14')).toEqual({ job: '3z2agxp7', number: '14' });
  expect(splitTask('odd')).toEqual({ job: 'odd', number: '' });
});

it('says how full something is', () => {
  expect(share(1, 4)).toBe(0.25);
  expect(share(9, 4)).toBe(1);
  expect(share(null, 4)).toBeNull();
  expect(share(1, 0)).toBeNull();
});

it('counts nothing as free on a machine that takes no work, nor what others use', () => {
  const down = { ...node('a', [gpu('0'), gpu('1')]), usable: false };
  const shared = node('b', [{ ...gpu('0'), busy: true }, gpu('1')]);
  expect(totals([down, shared])).toMatchObject({ gpus: 4, gpusFree: 1, slots: 4, slotsFree: 1 });
});

it('puts machines under their backend', () => {
  const backend = (name: string): BackendInfo => ({ name, kind: 'slurm', default: false, state: 'ok', defaults: {} });
  const nodes = [node('a', []), { ...node('n1', []), backend: 'slurm' }];
  const groups = grouped(nodes, [backend('local'), backend('slurm'), backend('silent')]);
  expect(groups.map((group) => [group.backend.name, group.nodes.length])).toEqual([
    ['local', 1],
    ['slurm', 1],
    ['silent', 0],
  ]);
});

it('finds machines by words', () => {
  const a = { ...node('gpu-001', [{ ...gpu('0'), name: 'a100' }]), state: 'mixed', partitions: ['volta'] };
  const b = { ...node('gpu-002', []), state: 'down+drain', reason: 'Disk full', partitions: ['volta', 'cpu'] };
  const names = (words: string) => matching([a, b], words).map(({ name }) => name);
  expect(names('')).toHaveLength(2);
  expect(names('DRAIN volta')).toEqual(['gpu-002']);
  expect(names('a100')).toEqual(['gpu-001']);
  expect(names('disk')).toEqual(['gpu-002']);
  expect(gpuKinds(a.devices ?? [])).toBe('a100');
});

it('says how busy GPUs are together', () => {
  const busy = { ...gpu('0'), load: 0.9, memory: 100, memory_used: 60 };
  expect(gpuUse([busy, { ...gpu('1'), load: 0.3, memory: 100, memory_used: 0 }])).toEqual({
    load: 0.6,
    memory: 200,
    memoryUsed: 60,
  });
  expect(gpuUse([busy, { ...gpu('1'), memory: 100 }])).toEqual({ load: 0.9, memory: 100, memoryUsed: 60 });
  expect(gpuUse([gpu('0')])).toEqual({ load: null, memory: 0, memoryUsed: null });
});

it('takes what was measured before what follows from it', () => {
  expect(memoryUsed({ ...node('a', []), memory: 10, memory_free: 4, memory_used: 5 })).toBe(5);
  expect(memoryUsed({ ...node('a', []), memory: 10, memory_free: 4 })).toBe(6);
  expect(memoryUsed(node('a', []))).toBeNull();
});

it('counts cores', () => {
  expect([0, 0.005, 0.31, 8.25, 9.97, 1234.5, null].map(coreText)).toEqual([
    '0',
    '0',
    '0.3',
    '8.3',
    '10',
    '1,235',
    '–',
  ]);
});

it('names a unit once', () => {
  expect(bytesOf(2 ** 30, 140 * 2 ** 30)).toBe('1 of 140 GiB');
  expect(bytesOf(2 ** 20, 2 ** 30)).toBe('1 MiB of 1 GiB');
  expect(bytesOf(0, 2 ** 30)).toBe('0 B of 1 GiB');
});

it('has those with advice first, then those who use most', () => {
  const job = (name: string, gpus: number, cores: number, advice: string[] = []) => ({
    job: name,
    name,
    user: 'anna',
    gpus,
    cores,
    advice: advice.map((text) => ({ kind: 'idle_gpu' as const, text })),
  });
  const jobs = [job('a', 0, 1), job('b', 0, 9), job('c', 2, 1), job('d', 0, 0, ['x'])];
  expect(byUse(jobs).map(({ name }) => name)).toEqual(['d', 'c', 'b', 'a']);
});

it('puts tasks under their jobs', () => {
  expect(byJob(['a-1', 'b-1', 'a-2'])).toEqual([
    { job: 'a', tasks: ['a-1', 'a-2'] },
    { job: 'b', tasks: ['b-1'] },
  ]);
});
