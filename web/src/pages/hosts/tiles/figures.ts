/** What a tile shows: the figures now, and the curves of before. Pure. */

import type { Device, LoadSeries, Node } from '../../../api/types';
import { bytes, integer, NOTHING, percent } from '../../../lib/format';
import type { ChartSeries, Range } from '../../../parts/plots/CurvePlot';
import { bytesOf, coreText, gpuUse, memoryUsed, ofKind, share, totals, usedOf } from '../nodes';
import { type HostTile, isOfGpus, type Kind } from './tiles';

export const UNITS: Record<Kind, string> = {
  gpu_load: '%',
  gpu_memory: 'GiB',
  temperature: '°C',
  power: 'W',
  cores: '%',
  memory: 'GiB',
  processes: '',
};

export interface Now {
  text: string;
  /** 0 to 1; null where it is not known how full, or how hot, it is. */
  part: number | null;
}

const UNKNOWN: Now = { text: NOTHING, part: null };
/** GPUs slow down at about 90 °C, and idle at about 30. */
const COOL = 30;
const HOT = 90;
const GIB = 2 ** 30;

function sum(values: readonly (number | null | undefined)[]): number | null {
  const known = values.filter((value) => value != null);
  return known.length ? known.reduce((so, value) => so + value, 0) : null;
}

/** `310 W`, `2.1 kW` */
export function watts(power: number): string {
  return power < 1000 ? `${integer(power)} W` : `${Number((power / 1000).toFixed(1))} kW`;
}

/** GPUs together: the mean load, all memory and power, the hottest. */
export function gpusNow(kind: Kind, gpus: readonly Device[]): Now {
  if (kind === 'gpu_load') {
    const { load } = gpuUse(gpus);
    if (load !== null || gpus.length === 0) return { text: percent(load), part: load };
    return { text: `${usedOf(gpus)} of ${gpus.length} in use`, part: null }; // a scheduler reports no more
  }
  if (kind === 'gpu_memory') {
    const { memory, memoryUsed: used } = gpuUse(gpus);
    return used === null ? UNKNOWN : { text: bytesOf(used, memory), part: share(used, memory) };
  }
  if (kind === 'temperature') {
    const known = gpus.map(({ temperature }) => temperature).filter((one) => one != null);
    if (known.length === 0) return UNKNOWN;
    const hottest = Math.max(...known);
    return { text: `${integer(hottest)} °C`, part: Math.min(Math.max((hottest - COOL) / (HOT - COOL), 0), 1) };
  }
  if (kind === 'power') {
    const drawn = sum(gpus.map(({ power }) => power));
    const limit = sum(gpus.map(({ power_limit: most }) => most));
    if (drawn === null) return UNKNOWN;
    return { text: limit ? `${watts(drawn)} of ${watts(limit)}` : watts(drawn), part: share(drawn, limit) };
  }
  return { text: integer(sum(gpus.map(({ processes = [] }) => processes.length))), part: null };
}

export function nodeNow(kind: Kind, node: Node): Now {
  if (isOfGpus(kind)) return gpusNow(kind, ofKind(node.devices ?? [], 'gpu'));
  if (kind === 'cores') {
    const busy = node.cpus_busy ?? node.cpus_used;
    return busy == null
      ? UNKNOWN
      : { text: `${coreText(busy)} of ${integer(node.cpus)}`, part: share(busy, node.cpus) };
  }
  if (kind === 'memory') {
    const used = memoryUsed(node);
    if (used === null) return { text: bytes(node.memory), part: null };
    return { text: node.memory == null ? bytes(used) : bytesOf(used, node.memory), part: share(used, node.memory) };
  }
  return { text: integer(node.processes), part: null };
}

/** All nodes together, as far as they report it. */
export function nodesNow(kind: Kind, nodes: readonly Node[]): Now {
  if (isOfGpus(kind)) {
    return gpusNow(
      kind,
      nodes.flatMap(({ devices = [] }) => ofKind(devices, 'gpu')),
    );
  }
  if (kind === 'cores') {
    const { cpusUsed, cpusTold } = totals(nodes);
    return cpusUsed === null ? UNKNOWN : { text: `${coreText(cpusUsed)} of ${integer(cpusTold)}`, part: null };
  }
  if (kind === 'memory') {
    const known = nodes.filter((node) => node.memory != null && memoryUsed(node) !== null);
    const used = sum(known.map(memoryUsed));
    return used === null
      ? UNKNOWN
      : { text: bytesOf(used, sum(known.map(({ memory }) => memory)) ?? used), part: null };
  }
  return { text: integer(sum(nodes.map(({ processes }) => processes))), part: null };
}

/** `61 %`, `12 GiB`: without the whole that it is a part of. */
export function shortText(text: string): string {
  const [used = '', whole = ''] = text.split(' of ');
  const unit = /[A-Za-z]+$/.exec(whole)?.[0];
  if (whole.endsWith('in use')) return `${used} in use`;
  return unit && /^[\d.]+$/.test(used) ? `${used} ${unit}` : used;
}

/** What a tile of one node, or of one of its GPUs, shows beside its name. */
export function tileNow({ kind, device }: HostTile, node: Node): Now {
  if (device === null) return nodeNow(kind, node);
  return gpusNow(
    kind,
    ofKind(node.devices ?? [], 'gpu').filter(({ id }) => id === device),
  );
}

/** The curves of a tile: of a node's GPUs one each. */
export function curves(
  { kind, device }: HostTile,
  found: readonly LoadSeries[],
  color: (index: number) => string,
): ChartSeries[] {
  const gpus = found.filter((one) => one.device != null);
  const itself = found.filter((one) => one.device == null);
  const lines = device !== null ? gpus.filter((one) => one.device === device) : isOfGpus(kind) ? gpus : itself;
  return lines
    .map((one) => ({
      id: one.device ?? 'node',
      label: one.device == null ? one.node : `GPU ${one.device}`,
      color: color(Math.max(gpus.indexOf(one), 0)),
      steps: one.times,
      values: valuesOf(kind, one),
    }))
    .filter(({ values }) => values.some((value) => value != null));
}

function valuesOf(kind: Kind, { load, memory, temperature, power, processes }: LoadSeries): (number | null)[] {
  switch (kind) {
    case 'gpu_load':
    case 'cores':
      return load.map((part) => part && part * 100);
    case 'gpu_memory':
    case 'memory':
      return memory.map((count) => count && count / GIB);
    case 'temperature':
      return temperature;
    case 'power':
      return power;
    case 'processes':
      return processes;
  }
}

/** Up to all that there is, with some air; where that is not known, to the most that was. */
export function heightOf({ kind }: HostTile, { memory, devices = [] }: Node, series: readonly ChartSeries[]): Range {
  const gpus = ofKind(devices, 'gpu');
  const whole = {
    gpu_load: 100,
    gpu_memory: Math.max(0, ...gpus.map(({ memory: all }) => (all ?? 0) / GIB)),
    temperature: 100,
    power: Math.max(0, ...gpus.map(({ power_limit: most }) => most ?? 0)),
    cores: 100,
    memory: (memory ?? 0) / GIB,
    processes: 0,
  }[kind];
  const most = series.reduce((so, { values }) => values.reduce<number>((top, one) => Math.max(top, one ?? 0), so), 0);
  return [0, Math.max(whole, most) * 1.05 || 1];
}
