/** What the nodes' figures come to. */

import type { BackendInfo, Device, JobLoad, Node, Share } from '../../api/types';
import { bytes, integer, NOTHING } from '../../lib/format';

export interface Totals {
  nodes: number;
  slots: number;
  slotsFree: number;
  gpus: number;
  gpusFree: number;
  cpus: number;
  /** Of the nodes that report how many are in use; null where none does. */
  cpusTold: number;
  cpusUsed: number | null;
  tasks: number;
}

/** What is free on a node that takes no work is not. */
export function totals(nodes: readonly Node[]): Totals {
  const devicesOf = (some: readonly Node[]) => some.flatMap((node) => node.devices ?? []);
  const devices = devicesOf(nodes);
  const usable = nodes.filter(isUsable);
  const free = ofKind(devicesOf(usable), 'gpu').filter((gpu) => !isUsed(gpu));
  const sum = (of: (node: Node) => number) => nodes.reduce((so, node) => so + of(node), 0);
  return {
    nodes: nodes.length,
    slots: sum(({ slots }) => slots),
    slotsFree: usable.reduce((so, { slots, slots_used: used = 0 }) => so + slots - used, 0),
    gpus: ofKind(devices, 'gpu').length,
    gpusFree: free.length,
    cpus: sum(({ cpus }) => cpus),
    cpusTold: sum((node) => (coresUsed(node) == null ? 0 : node.cpus)),
    cpusUsed: sumKnown(nodes.map(coresUsed)),
    tasks: new Set(nodes.flatMap(({ tasks = [] }) => tasks)).size,
  };
}

function coresUsed({ cpus_used: used, cpus_busy: busy }: Node): number | null | undefined {
  return used ?? busy;
}

function sumKnown(values: readonly (number | null | undefined)[]): number | null {
  const known = values.filter((value) => value != null);
  return known.length ? known.reduce((so, value) => so + value, 0) : null;
}

export interface GpuUse {
  /** The mean, 0 to 1; null where it was not measured. */
  load: number | null;
  /** Bytes on those GPUs whose use is known. */
  memory: number;
  memoryUsed: number | null;
}

/** How busy GPUs are together. */
export function gpuUse(gpus: readonly Device[]): GpuUse {
  const loads = gpus.map(({ load }) => load).filter((load) => load != null);
  const known = gpus.filter(({ memory, memory_used: used }) => memory != null && used != null);
  return {
    load: loads.length ? (sumKnown(loads) as number) / loads.length : null,
    memory: sumKnown(known.map(({ memory }) => memory)) ?? 0,
    memoryUsed: sumKnown(known.map(({ memory_used: used }) => used)),
  };
}

/** Bytes in use on a node: as measured, else what cannot be had. */
export function memoryUsed({ memory, memory_free: free, memory_used: used }: Node): number | null {
  return used ?? (memory != null && free != null ? memory - free : null);
}

/** `0.3`, `8.3`, `23`: cores are never whole, and no more of it matters. */
export function coreText(cores: number | null | undefined): string {
  if (cores === null || cores === undefined) return NOTHING;
  return cores < 9.95 ? String(Number(cores.toFixed(1))) : integer(cores);
}

/** `12 of 140 GiB`: the unit once where both have the same. */
export function bytesOf(used: number, whole: number): string {
  const [part, all] = [bytes(used), bytes(whole)];
  const unit = all.slice(all.indexOf(' '));
  return `${part.endsWith(unit) ? part.slice(0, -unit.length) : part} of ${all}`;
}

/** Those whom advice is for first, then who uses most. */
export function byUse<T extends Share>(shares: readonly T[]): T[] {
  const advised = (one: Share) => Number(((one as JobLoad).advice ?? []).length > 0);
  return [...shares].sort(
    (a, b) =>
      advised(b) - advised(a) ||
      (b.gpus ?? 0) - (a.gpus ?? 0) ||
      (b.cores ?? 0) - (a.cores ?? 0) ||
      (b.tasks ?? 0) - (a.tasks ?? 0),
  );
}

export function ofKind(devices: readonly Device[], kind: Device['kind']): Device[] {
  return devices.filter((device) => device.kind === kind);
}

export function isUsable({ usable = true }: Node): boolean {
  return usable;
}

/** By whomever. */
export function isUsed({ used_by: used = [], busy = false }: Device): boolean {
  return busy || used.length > 0;
}

/** By tasks of ours. */
export function isOurs({ used_by: used = [], tasks = [] }: Device): boolean {
  return used.length + tasks.length > 0;
}

export interface NodeGroup {
  backend: BackendInfo;
  nodes: Node[];
}

/** The nodes by backend, in the server's order; a backend that reports no node is included. */
export function grouped(nodes: readonly Node[], backends: readonly BackendInfo[]): NodeGroup[] {
  return backends.map((backend) => ({ backend, nodes: nodes.filter((node) => node.backend === backend.name) }));
}

/** `a100`, or `a100, v100` where a node has several kinds. */
export function gpuKinds(devices: readonly Device[]): string {
  return [...new Set(ofKind(devices, 'gpu').map(({ name }) => name ?? ''))].filter(Boolean).join(', ');
}

/** The nodes in which all of the words are: names, states, partitions, features, GPUs, reasons. */
export function matching(nodes: readonly Node[], words: string): Node[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return [...nodes];
  return nodes.filter((node) => {
    const { name, state = '', partitions = [], features = [], devices = [], reason } = node;
    const text = [name, state, ...partitions, ...features, gpuKinds(devices), reason ?? ''].join(' ').toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

export function usedOf(devices: readonly Device[]): number {
  return devices.filter(isUsed).length;
}

/** The tasks on these devices, each once, with the devices that it has. */
export function tasksOn(devices: readonly Device[]): { task: string; devices: string[] }[] {
  const found = new Map<string, string[]>();
  for (const { id, tasks = [] } of devices) {
    for (const task of tasks) found.set(task, [...(found.get(task) ?? []), id]);
  }
  return [...found].map(([task, ids]) => ({ task, devices: ids }));
}

/** `3z2agxp7-4`: the job's id and the task's number. */
export function splitTask(id: string): { job: string; number: string } {
  const at = id.lastIndexOf('-');
  return at < 0 ? { job: id, number: '' } : { job: id.slice(0, at), number: id.slice(at + 1) };
}

/** Tasks by the job that they are of. */
export function byJob(tasks: readonly string[]): { job: string; tasks: string[] }[] {
  const found = new Map<string, string[]>();
  for (const task of tasks) {
    const { job } = splitTask(task);
    found.set(job, [...(found.get(job) ?? []), task]);
  }
  return [...found].map(([job, its]) => ({ job, tasks: its }));
}

/** How full something is, 0 to 1; null where it is not known. */
export function share(part: number | null | undefined, whole: number | null | undefined): number | null {
  if (part === null || part === undefined || !whole) return null;
  return Math.min(Math.max(part / whole, 0), 1);
}
