import { expect, it } from 'vitest';
import type { Device, Node } from '../../../api/types';
import {
  added,
  firstTiles,
  fits,
  type HostTile,
  inOrder,
  keyOf,
  moved,
  readTiles,
  removed,
  reordered,
  resized,
  settle,
} from './tiles';

const gpu = (id: string, more: Partial<Device> = {}): Device => ({ id, kind: 'gpu', ...more });
const node = (name: string, devices: Device[] = []): Node => ({
  name,
  backend: 'lab',
  cpus: 8,
  slots: 8,
  cpu_slots: 8,
  devices,
});
const tile = (name: string, x: number, y: number, w = 4, h = 4): HostTile => ({
  kind: 'cores',
  backend: 'lab',
  node: name,
  device: null,
  x,
  y,
  w,
  h,
});
const key = (name: string) => keyOf(tile(name, 0, 0));
const places = (tiles: readonly HostTile[]) =>
  Object.fromEntries(tiles.map(({ node: name, x, y, w, h }) => [name, [x, y, w, h]]));
const apart = (tiles: readonly HostTile[]) =>
  tiles.every((a) =>
    tiles.every((b) => a === b || a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y),
  );
const kinds = (tiles: readonly HostTile[]) => tiles.map(({ kind, node: of }) => `${kind} ${of}`);

it('begins with what a machine has', () => {
  expect(kinds(firstTiles([node('a')]))).toEqual(['cores a', 'memory a', 'processes a']);
  const hot = firstTiles([node('a', [gpu('0', { temperature: 40 })])]);
  expect(kinds(hot)).toEqual(['gpu_load a', 'gpu_memory a', 'temperature a', 'cores a', 'memory a']);
  expect(apart(hot)).toBe(true);
  expect(firstTiles([])).toEqual([]);
});

it('begins with a row per server, and with tiles of all where there are many', () => {
  const servers = firstTiles(['a', 'b', 'c', 'd'].map((name) => node(name, [gpu('0')])));
  expect(kinds(servers).slice(0, 4)).toEqual(['gpu_load a', 'gpu_memory a', 'cores a', 'gpu_load b']);
  expect(apart(servers)).toBe(true);
  const many = (devices: Device[]) => firstTiles(Array.from({ length: 100 }, (_, i) => node(`n${i}`, devices)));
  expect(kinds(many([]))).toEqual(['cores null', 'memory null']);
  expect(kinds(many([gpu('0')]))).toEqual(['gpu_load null', 'cores null', 'memory null']);
  expect(kinds(many([gpu('0', { memory_used: 1 })]))).toHaveLength(4);
});

it('reads what was saved, whatever it is', () => {
  const saved = [
    { ...tile('a', 900, 5, 1000, 1), device: '0' },
    { ...tile('b', 11, 9999), kind: 'of-another-version' },
    tile('c', 11, 7),
    tile('c', 0, 0),
  ];
  const read = readTiles(saved);
  expect(places(read)).toEqual({ a: [0, 0, 12, 3], c: [8, 3, 4, 4] });
  expect(readTiles([])).toEqual([]);
});

it('moves past neighbours, and to the side', () => {
  const tiles = [tile('a', 0, 0), tile('b', 0, 4), tile('c', 4, 0)];
  expect(places(moved(tiles, key('a'), 'down'))).toEqual({ b: [0, 0, 4, 4], a: [0, 4, 4, 4], c: [4, 0, 4, 4] });
  expect(places(moved(tiles, key('b'), 'up'))).toEqual({ b: [0, 0, 4, 4], a: [0, 4, 4, 4], c: [4, 0, 4, 4] });
  const right = moved(tiles, key('a'), 'right');
  expect(places(right)).toMatchObject({ a: [1, 0, 4, 4] });
  expect(apart(right)).toBe(true);
  expect(places(moved(tiles, key('a'), 'left'))).toEqual(places(tiles));
  expect(places(moved(tiles, key('b'), 'down'))).toEqual(places(tiles));
});

it('resizes within the grid, and others make room', () => {
  const tiles = [tile('a', 0, 0), tile('b', 4, 0), tile('c', 8, 0)];
  const wide = resized(tiles, key('a'), 'right');
  expect(places(wide)).toMatchObject({ a: [0, 0, 5, 4], b: [4, 4, 4, 4], c: [8, 0, 4, 4] });
  expect(places(resized(tiles, key('c'), 'right'))).toEqual(places(tiles));
  expect(places(resized(tiles, key('a'), 'down'))).toMatchObject({ a: [0, 0, 4, 5] });
  const least = resized(resized(tiles, key('a'), 'up'), key('a'), 'up');
  expect(places(least)).toMatchObject({ a: [0, 0, 4, 3] });
});

it('changes the order of those below each other', () => {
  const tiles = [tile('a', 0, 0, 6), tile('b', 6, 0, 6), tile('c', 0, 4, 12)];
  const order = (some: readonly HostTile[]) => inOrder(some).map(({ node: name }) => name);
  expect(order(reordered(tiles, key('a'), 1))).toEqual(['b', 'a', 'c']);
  const up = reordered(tiles, key('c'), -1);
  expect(order(up).indexOf('c')).toBeLessThan(order(up).indexOf('b'));
  expect(apart(up)).toBe(true);
  expect(reordered(tiles, key('a'), -1)).toEqual(tiles);
});

it('adds each once, where there is room, and closes gaps', () => {
  const of = { backend: 'lab', node: 'b' };
  const tiles = added([tile('a', 0, 0)], [{ kind: 'cores', of }]);
  expect(places(tiles)).toMatchObject({ b: [4, 0, 4, 5] });
  expect(added(tiles, [{ kind: 'cores', of }])).toHaveLength(2);
  expect(places(removed([tile('a', 0, 0), tile('b', 0, 4)], key('a')))).toEqual({ b: [0, 0, 4, 4] });
  expect([fits('cores', { device: '0' }), fits('power', { device: '0' }), fits('cores', {})]).toEqual([
    false,
    true,
    true,
  ]);
});

it('never leaves two tiles on one place', () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 16807) % 2147483647;
    return seed % below;
  };
  for (let round = 0; round < 100; round += 1) {
    const some = Array.from({ length: 8 }, (_, i) => tile(`n${i}`, random(9), random(9), 2 + random(2), 3 + random(3)));
    let tiles = settle(some);
    for (let step = 0; step < 10; step += 1) {
      const to = (['left', 'right', 'up', 'down'] as const)[random(4)] as 'left';
      tiles = (random(2) ? moved : resized)(tiles, key(`n${random(8)}`), to);
      expect(apart(tiles)).toBe(true);
      expect(tiles.every(({ x, w, y }) => x >= 0 && x + w <= 12 && Number.isInteger(y))).toBe(true);
    }
  }
});
