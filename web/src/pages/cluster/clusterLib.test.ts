import { expect, it } from 'vitest';
import type { Device, Node } from '../../api/types';
import { ofKind, share, splitTask, tasksOn, totals, usedOf } from './clusterLib';

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
  devices,
});

it('adds the nodes up', () => {
  const nodes = [node('a', [gpu('0', 'j-1'), gpu('1')]), node('b', [slot('0', 'j-2'), slot('1', 'j-2'), slot('2')])];
  expect(totals(nodes)).toEqual({ nodes: 2, slots: 5, slotsUsed: 3, gpus: 2, gpusUsed: 1, cpus: 16, tasks: 2 });
  expect(totals([])).toEqual({ nodes: 0, slots: 0, slotsUsed: 0, gpus: 0, gpusUsed: 0, cpus: 0, tasks: 0 });
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
