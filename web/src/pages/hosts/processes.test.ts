import { expect, it } from 'vitest';
import type { Node } from '../../api/types';
import { loggedIn, matchingProcesses, processesOf } from './processes';

const about = { backend: 'lab', cpus: 1, slots: 1, cpu_slots: 1 };
const on = (id: string, ...processes: { pid: number; owner?: string; memory?: number }[]) => ({
  id,
  kind: 'gpu' as const,
  processes,
});

it('lists a process once with all its GPUs, and keeps nodes apart', () => {
  const nodes: Node[] = [
    { ...about, name: 'a', devices: [on('0', { pid: 7, owner: 'anna', memory: 1 }), on('1', { pid: 7, memory: 2 })] },
    { ...about, name: 'b', devices: [on('0', { pid: 7, owner: 'bob' })] },
  ];
  const found = processesOf(nodes);
  expect(found.map(({ node, gpus, memory }) => [node, gpus, memory])).toEqual([
    ['a', ['0', '1'], 3],
    ['b', ['0'], null],
  ]);
  expect(matchingProcesses(found, 'BOB 7').map(({ node }) => node)).toEqual(['b']);
  expect(matchingProcesses(found, ' ')).toHaveLength(2);
});

it('says where each person is logged in', () => {
  const nodes: Node[] = [
    {
      ...about,
      name: 'a',
      people: [
        { user: 'bob', terminal: 'pts/1', since: 20 },
        { user: 'anna' },
        { user: 'bob', terminal: 'pts/0', since: 10 },
      ],
    },
    { ...about, name: 'b', people: [{ user: 'bob', terminal: 'tty1', since: 30 }] },
  ];
  expect(loggedIn(nodes)).toEqual([
    { user: 'anna', places: [{ node: 'a', terminals: [], since: null }] },
    {
      user: 'bob',
      places: [
        { node: 'a', terminals: ['pts/1', 'pts/0'], since: 10 },
        { node: 'b', terminals: ['tty1'], since: 30 },
      ],
    },
  ]);
});
