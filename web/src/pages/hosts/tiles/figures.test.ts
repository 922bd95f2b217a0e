import { expect, it } from 'vitest';
import type { Device, LoadSeries, Node } from '../../../api/types';
import { curves, gpusNow, heightOf, nodeNow, nodesNow, shortText, tileNow } from './figures';
import type { HostTile, Kind } from './tiles';

const GIB = 2 ** 30;
const gpu = (id: string, more: Partial<Device> = {}): Device => ({
  id,
  kind: 'gpu',
  load: 0.5,
  memory: 80 * GIB,
  memory_used: 20 * GIB,
  temperature: 60,
  power: 300,
  power_limit: 700,
  ...more,
});
const node: Node = {
  name: 'gpu1',
  backend: 'lab',
  cpus: 64,
  cpus_busy: 8.3,
  memory: 100 * GIB,
  memory_used: 25 * GIB,
  processes: 1234,
  slots: 8,
  cpu_slots: 64,
  devices: [gpu('0'), gpu('1', { load: 1, temperature: 90, power: 700 })],
};
const tile = (kind: Kind, device: string | null = null): HostTile => ({
  kind,
  backend: 'lab',
  node: 'gpu1',
  device,
  x: 0,
  y: 0,
  w: 4,
  h: 4,
});
const text = (kind: Kind, device: string | null = null) => tileNow(tile(kind, device), node).text;

it('says how a node and its GPUs are now', () => {
  expect(text('gpu_load')).toBe('75 %');
  expect(text('gpu_memory')).toBe('40 of 160 GiB');
  expect(text('temperature')).toBe('90 °C');
  expect(text('power')).toBe('1 kW of 1.4 kW');
  expect(text('power', '0')).toBe('300 W of 700 W');
  expect(text('cores')).toBe('8.3 of 64');
  expect(text('memory')).toBe('25 of 100 GiB');
  expect(text('processes')).toBe('1,234');
  expect(nodeNow('temperature', node).part).toBe(1);
  expect(gpusNow('gpu_load', [gpu('0', { load: 0 })]).part).toBe(0);
});

it('says what a scheduler knows where nothing is measured', () => {
  const bare: Node = { name: 'v1', backend: 'slurm', cpus: 4, slots: 2, cpu_slots: 4 };
  const given: Device[] = [
    { id: '0', kind: 'gpu', busy: true },
    { id: '1', kind: 'gpu' },
  ];
  expect(nodeNow('gpu_load', { ...bare, devices: given }).text).toBe('1 of 2 in use');
  expect(
    (['gpu_memory', 'temperature', 'power', 'cores', 'memory', 'processes'] as const).map(
      (kind) => nodeNow(kind, bare).text,
    ),
  ).toEqual(Array(6).fill('–'));
  expect(nodesNow('cores', [bare, node]).text).toBe('8.3 of 64');
  expect(nodesNow('memory', [bare, node]).text).toBe('25 of 100 GiB');
  expect(nodesNow('processes', [bare]).text).toBe('–');
});

it('shortens figures', () => {
  expect(
    ['40 of 160 GiB', '500 MiB of 1 GiB', '1 of 2 in use', '8.3 of 64', '75 %', '1 kW of 1.4 kW'].map(shortText),
  ).toEqual(['40 GiB', '500 MiB', '1 in use', '8.3', '75 %', '1 kW']);
});

it('draws a curve per GPU, or that of one, or that of the node', () => {
  const series = (device: string | null, more: Partial<LoadSeries> = {}): LoadSeries => ({
    node: 'gpu1',
    backend: 'lab',
    device,
    times: [1, 2],
    load: [0.5, null],
    memory: [GIB, 0],
    temperature: [],
    power: [],
    processes: [],
    ...more,
  });
  const found = [series(null, { processes: [7, 8] }), series('0', { power: [90, 710] }), series('1')];
  const drawn = (kind: Kind, device: string | null = null) =>
    curves(tile(kind, device), found, (index) => `c${index}`).map(({ label, color, values }) => [label, color, values]);
  expect(drawn('gpu_load')).toEqual([
    ['GPU 0', 'c0', [50, null]],
    ['GPU 1', 'c1', [50, null]],
  ]);
  expect(drawn('gpu_memory', '1')).toEqual([['GPU 1', 'c1', [1, 0]]]);
  expect(drawn('processes')).toEqual([['gpu1', 'c0', [7, 8]]]);
  expect(drawn('temperature')).toEqual([]);
  const power = curves(tile('power'), found, () => '');
  expect(power).toHaveLength(1);
  expect(heightOf(tile('power'), node, power)[1]).toBeCloseTo(710 * 1.05);
  expect(heightOf(tile('processes'), node, [])).toEqual([0, 1]);
});
