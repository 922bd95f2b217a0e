import { expect, it } from 'vitest';
import type { LoadSeries } from '../../api/types';
import { historyCharts } from './history';

const GIB = 2 ** 30;
const series = (device: string | null, load: (number | null)[], memory: (number | null)[]): LoadSeries => ({
  node: 'n',
  backend: 'local',
  device,
  times: load.map((_, i) => 1000 + i),
  load,
  memory,
  temperature: [],
  power: [],
  processes: [],
});
const color = (index: number) => `c${index}`;

it('draws the machine, and all its GPUs in one graph', () => {
  const found = [series(null, [0.5, null], [2 * GIB, null]), series('0', [1], [GIB]), series('1', [0], [0])];
  const charts = historyCharts(found, { memory: 100 * GIB, gpuMemory: null }, color);
  expect(charts.map(({ title }) => title)).toEqual(['CPU (%)', 'Memory (GiB)', 'GPU load (%)', 'GPU memory (GiB)']);
  expect(charts[0]?.series).toEqual([
    { id: 'node', label: 'CPU', color: 'c0', steps: [1000, 1001], values: [50, null] },
  ]);
  expect(charts[1]?.series[0]?.values).toEqual([2, null]);
  expect(charts[1]?.up).toEqual([0, 104]);
  expect(charts[2]?.series.map(({ label, values }) => [label, values])).toEqual([
    ['GPU 0', [100]],
    ['GPU 1', [0]],
  ]);
  expect(charts[3]?.up).toEqual([0, 1.04]);
});

it('has no graphs of GPUs where there are none', () => {
  expect(historyCharts([], { memory: null, gpuMemory: null }, color).map(({ series: lines }) => lines)).toEqual([
    [],
    [],
  ]);
});
