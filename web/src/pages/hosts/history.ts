/** How busy a node was, as curves. */

import type { LoadSeries } from '../../api/types';
import type { ChartSeries, Range } from '../../parts/plots/CurveChart';

export const SPANS = [
  { minutes: 15, label: '15 min' },
  { minutes: 60, label: '1 h' },
  { minutes: 360, label: '6 h' },
  { minutes: 1440, label: '24 h' },
  { minutes: 2880, label: '48 h' },
];
/** In the address: how far back. */
export const VIEW = { minutes: 60 };

export interface HistoryChart {
  title: string;
  series: ChartSeries[];
  up: Range;
}

interface Room {
  /** Bytes of the node, and of its largest GPU. */
  memory: number | null;
  gpuMemory: number | null;
}

const GIB = 2 ** 30;
/** Percent, with some air above what is full. */
const WHOLE: Range = [0, 104];

/** Processor and memory of the node, then load and memory of its GPUs with a curve each. */
export function historyCharts(
  found: readonly LoadSeries[],
  { memory, gpuMemory }: Room,
  color: (index: number) => string,
): HistoryChart[] {
  const node = found.filter(({ device }) => device == null);
  const gpus = found.filter(({ device }) => device != null);
  const lines = (of: readonly LoadSeries[], name: string, values: (one: LoadSeries) => ChartSeries['values']) =>
    of.map((one, i) => ({
      id: one.device ?? 'node',
      label: one.device == null ? name : `GPU ${one.device}`,
      color: color(i),
      steps: one.times,
      values: values(one),
    }));
  const percent = ({ load }: LoadSeries) => load.map((part) => part && part * 100);
  const gib = ({ memory: bytes }: LoadSeries) => bytes.map((count) => count && count / GIB);
  const charts = [
    { title: 'CPU (%)', series: lines(node, 'CPU', percent), up: WHOLE },
    { title: 'Memory (GiB)', series: lines(node, 'Memory', gib), up: memoryRange(node, memory) },
  ];
  if (gpus.length === 0) return charts;
  return [
    ...charts,
    { title: 'GPU load (%)', series: lines(gpus, 'GPU', percent), up: WHOLE },
    { title: 'GPU memory (GiB)', series: lines(gpus, 'GPU', gib), up: memoryRange(gpus, gpuMemory) },
  ];
}

/** Up to all that there is; where that is not known, to the most that was in use. */
function memoryRange(series: readonly LoadSeries[], whole: number | null): Range {
  const most = series.flatMap(({ memory }) => memory).reduce<number>((so, count) => Math.max(so, count ?? 0), 0);
  return [0, ((whole ?? most) * 1.04) / GIB || 1];
}
