/** Processes on GPUs and people who are logged in, of all nodes. Pure. */

import type { GpuProcess, Node } from '../../api/types';
import { ofKind } from './nodes';

/** A process once, with all GPUs that it is on. */
export interface HostProcess extends GpuProcess {
  id: string;
  node: string;
  gpus: string[];
}

export function processesOf(nodes: readonly Node[]): HostProcess[] {
  const found = new Map<string, HostProcess>();
  for (const { backend, name, devices = [] } of nodes) {
    for (const gpu of ofKind(devices, 'gpu')) {
      for (const process of gpu.processes ?? []) {
        const id = `${backend} ${name} ${process.pid}`;
        const known = found.get(id);
        const memory = known?.memory == null ? process.memory : known.memory + (process.memory ?? 0);
        const gpus = [...new Set([...(known?.gpus ?? []), gpu.id])];
        found.set(id, { ...(known ?? process), id, node: name, gpus, memory: memory ?? null });
      }
    }
  }
  return [...found.values()];
}

/** Those in which all of the words are: owner, command, node, task, pid. */
export function matchingProcesses(processes: readonly HostProcess[], words: string): HostProcess[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return [...processes];
  return processes.filter(({ pid, owner, command, node, task }) => {
    const text = [pid, owner, command, node, task].join(' ').toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

export interface LoggedIn {
  user: string;
  places: { node: string; terminals: string[]; since: number | null }[];
}

/** Who is logged in, and where: by name, each node once, since the first time. */
export function loggedIn(nodes: readonly Node[]): LoggedIn[] {
  const found = new Map<string, Map<string, LoggedIn['places'][number]>>();
  for (const { name, people = [] } of nodes) {
    for (const { user, terminal = '', since = null } of people) {
      const places = found.get(user) ?? new Map();
      const known = places.get(name) ?? { node: name, terminals: [], since: null };
      if (terminal) known.terminals.push(terminal);
      if (since !== null) known.since = Math.min(since, known.since ?? since);
      found.set(user, places.set(name, known));
    }
  }
  const users = [...found].map(([user, places]) => ({ user, places: [...places.values()] }));
  return users.sort((a, b) => a.user.localeCompare(b.user));
}
