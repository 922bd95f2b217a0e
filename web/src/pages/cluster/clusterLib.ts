/** What the nodes' figures come to. */

import type { BackendInfo, Device, Node } from '../../api/types';

export interface Totals {
  nodes: number;
  slots: number;
  slotsFree: number;
  gpus: number;
  gpusFree: number;
  cpus: number;
  tasks: number;
}

/** What is free on a machine that takes no work is not. */
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
    tasks: new Set(nodes.flatMap(({ tasks = [] }) => tasks)).size,
  };
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

/** The machines by backend, as the server lists these; a backend that has told of none is there, too. */
export function grouped(nodes: readonly Node[], backends: readonly BackendInfo[]): NodeGroup[] {
  return backends.map((backend) => ({ backend, nodes: nodes.filter((node) => node.backend === backend.name) }));
}

/** `a100`, or `a100, v100` where a node has several kinds. */
export function gpuKinds(devices: readonly Device[]): string {
  return [...new Set(ofKind(devices, 'gpu').map(({ name }) => name ?? ''))].filter(Boolean).join(', ');
}

/** The machines in which all of the words are: names, states, partitions, features, GPUs, reasons. */
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

/** How full something is, 0 to 1; null where it is not known. */
export function share(part: number | null | undefined, whole: number | null | undefined): number | null {
  if (part === null || part === undefined || !whole) return null;
  return Math.min(Math.max(part / whole, 0), 1);
}
