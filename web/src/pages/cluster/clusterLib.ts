/** What the nodes' figures come to. */

import type { Device, Node } from '../../api/types';

export interface Totals {
  nodes: number;
  slots: number;
  slotsUsed: number;
  gpus: number;
  gpusUsed: number;
  cpus: number;
  tasks: number;
}

export function totals(nodes: readonly Node[]): Totals {
  const devices = nodes.flatMap((node) => node.devices ?? []);
  const gpus = ofKind(devices, 'gpu');
  const sum = (of: (node: Node) => number) => nodes.reduce((so, node) => so + of(node), 0);
  return {
    nodes: nodes.length,
    slots: sum(({ slots }) => slots),
    slotsUsed: sum(({ slots_used: used = 0 }) => used),
    gpus: gpus.length,
    gpusUsed: usedOf(gpus),
    cpus: sum(({ cpus }) => cpus),
    tasks: new Set(devices.flatMap(({ tasks = [] }) => tasks)).size,
  };
}

export function ofKind(devices: readonly Device[], kind: Device['kind']): Device[] {
  return devices.filter((device) => device.kind === kind);
}

export function isUsed({ used_by: used = [] }: Device): boolean {
  return used.length > 0;
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
