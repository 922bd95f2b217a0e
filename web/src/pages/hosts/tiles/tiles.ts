/** Tiles of the page: which there are, where they lie, and how they make room for each other. Pure. */

import type { Node, Tile } from '../../../api/types';
import { ofKind } from '../nodes';

export const KINDS = ['gpu_load', 'gpu_memory', 'temperature', 'power', 'cores', 'memory', 'processes'] as const;
export type Kind = (typeof KINDS)[number];

export const NAMES: Record<Kind, string> = {
  gpu_load: 'GPU load',
  gpu_memory: 'GPU memory',
  temperature: 'Temperature',
  power: 'Power',
  cores: 'Cores',
  memory: 'Memory',
  processes: 'Processes',
};

/** Of GPUs, not of the node itself. */
const OF_GPUS: ReadonlySet<Kind> = new Set(['gpu_load', 'gpu_memory', 'temperature', 'power']);

export interface Subject {
  backend?: string | null;
  node?: string | null;
  device?: string | null;
}

/** A tile as the page uses it: of a kind that it knows. */
export interface HostTile extends Required<Subject> {
  kind: Kind;
  x: number;
  y: number;
  w: number;
  h: number;
}

export const COLUMNS = 12;
export const LEAST = { w: 2, h: 3 };
const MOST_HEIGHT = 20;
/** The server keeps no more. */
export const MOST_TILES = 200;
/** This many nodes have tiles of their own at first; more are shown together. */
const FEW_NODES = 6;

export function isOfGpus(kind: Kind): boolean {
  return OF_GPUS.has(kind);
}

/** Whether there can be such a tile: a GPU has no cores. */
export function fits(kind: Kind, { device }: Subject): boolean {
  return device == null || isOfGpus(kind) || kind === 'processes';
}

export function keyOf({ kind, backend, node, device }: Subject & { kind: string }): string {
  return JSON.stringify([kind, backend ?? null, node ?? null, device ?? null]);
}

/** `gpu1`, `gpu1, GPU 3`, `all nodes` */
export function subjectText({ node, device }: Subject): string {
  if (node == null) return 'all nodes';
  return device == null ? node : `${node}, GPU ${device}`;
}

/** What somebody saved, as far as this page can show it: each once, inside the grid, none above another. */
export function readTiles(saved: readonly Tile[]): HostTile[] {
  const found = new Map<string, HostTile>();
  for (const { kind, backend = null, node = null, device = null, x, y, w, h } of saved) {
    if (!isKind(kind)) continue;
    const width = clamp(w, LEAST.w, COLUMNS);
    const place = { x: clamp(x, 0, COLUMNS - width), y, w: width, h: clamp(h, LEAST.h, MOST_HEIGHT) };
    const tile = { kind, backend, node, device, ...place };
    if (!found.has(keyOf(tile))) found.set(keyOf(tile), tile);
  }
  return settle([...found.values()]);
}

function isKind(kind: string): kind is Kind {
  return (KINDS as readonly string[]).includes(kind);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), Math.max(most, least));
}

/** The tiles of somebody who has not arranged any. */
export function firstTiles(nodes: readonly Node[]): HostTile[] {
  if (nodes.length > FEW_NODES) return ofAll(nodes);
  const alone = nodes.length === 1;
  return flow(nodes.flatMap((node) => ofNode(node, alone)));
}

type Size = Omit<HostTile, 'x' | 'y'>;

function ofNode({ backend, name, devices = [] }: Node, alone: boolean): Size[] {
  const gpus = ofKind(devices, 'gpu');
  const tile = (kind: Kind, w: number): Size => ({ kind, backend, node: name, device: null, w, h: 5 });
  if (gpus.length === 0) return [tile('cores', 4), tile('memory', 4), tile('processes', 4)];
  if (!alone) return [tile('gpu_load', 4), tile('gpu_memory', 4), tile('cores', 4)];
  const hot = gpus.some(({ temperature }) => temperature != null);
  return [
    tile('gpu_load', 6),
    tile('gpu_memory', 6),
    tile(hot ? 'temperature' : 'processes', 4),
    tile('cores', 4),
    tile('memory', 4),
  ];
}

function ofAll(nodes: readonly Node[]): HostTile[] {
  const gpus = nodes.flatMap(({ devices = [] }) => ofKind(devices, 'gpu'));
  const kinds: Kind[] = ['cores', 'memory'];
  if (gpus.some(({ memory_used: used }) => used != null)) kinds.unshift('gpu_memory');
  if (gpus.length > 0) kinds.unshift('gpu_load');
  const h = clamp(Math.ceil(nodes.length / 10) + 2, 5, 9);
  const whole = kinds.length === 3;
  return flow(
    kinds.map((kind, i) => ({ kind, backend: null, node: null, device: null, w: whole && i === 0 ? 12 : 6, h })),
  );
}

/** One after the other, in rows. */
function flow(sizes: readonly Size[]): HostTile[] {
  let [x, y, below] = [0, 0, 0];
  return sizes.map((size) => {
    if (x + size.w > COLUMNS) [x, y] = [0, below];
    const tile = { ...size, x, y };
    x += size.w;
    below = Math.max(below, y + size.h);
    return tile;
  });
}

type Box = Pick<HostTile, 'x' | 'y' | 'w' | 'h'>;

function meet(a: Box, b: Box): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/** From the top down, and from the left: as one reads. */
export function inOrder<T extends Box>(tiles: readonly T[]): T[] {
  return [...tiles].sort((a, b) => a.y - b.y || a.x - b.x);
}

/** Each as high up as it can be: those that overlap make room downwards. Places between rows only give an order. */
export function settle(tiles: readonly HostTile[]): HostTile[] {
  const placed: HostTile[] = [];
  for (const tile of inOrder(tiles)) {
    const free = (y: number) => !placed.some((one) => meet(one, { ...tile, y }));
    let y = Math.max(Math.ceil(tile.y), 0);
    while (!free(y)) y += 1;
    while (y > 0 && free(y - 1)) y -= 1;
    placed.push({ ...tile, y });
  }
  return placed;
}

export type Direction = 'left' | 'right' | 'up' | 'down';

/** One column to the side, or past the next tile above or below. */
export function moved(tiles: readonly HostTile[], key: string, to: Direction): HostTile[] {
  return changed(tiles, key, (tile) => {
    if (to === 'left' || to === 'right') {
      const x = clamp(tile.x + (to === 'left' ? -1 : 1), 0, COLUMNS - tile.w);
      return { ...tile, x, y: tile.y - 0.5 };
    }
    const beside = inOrder(tiles).filter((one) => one.x < tile.x + tile.w && tile.x < one.x + one.w);
    const next = to === 'up' ? beside.findLast((one) => one.y < tile.y) : beside.find((one) => one.y > tile.y);
    return next ? { ...tile, y: next.y + (to === 'up' ? -0.5 : 0.5) } : tile;
  });
}

/** One column or row larger or smaller: its right and lower edges move. */
export function resized(tiles: readonly HostTile[], key: string, to: Direction): HostTile[] {
  const [dw, dh] = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] }[to] as [number, number];
  return changed(tiles, key, (tile) => ({
    ...tile,
    w: clamp(tile.w + dw, LEAST.w, COLUMNS - tile.x),
    h: clamp(tile.h + dh, LEAST.h, MOST_HEIGHT),
    y: tile.y - 0.5,
  }));
}

function changed(tiles: readonly HostTile[], key: string, to: (tile: HostTile) => HostTile): HostTile[] {
  return settle(tiles.map((tile) => (keyOf(tile) === key ? to(tile) : tile)));
}

/** The tile and its neighbour in the order of reading change places. */
export function reordered(tiles: readonly HostTile[], key: string, by: -1 | 1): HostTile[] {
  const order = inOrder(tiles);
  const at = order.findIndex((tile) => keyOf(tile) === key);
  const [one, other] = [order[at], order[at + by]];
  if (!one || !other) return [...tiles];
  const swap = (to: HostTile, from: HostTile): HostTile => ({
    ...to,
    x: clamp(from.x, 0, COLUMNS - to.w),
    y: from.y,
  });
  const [first, second] = by < 0 ? [swap(one, other), swap(other, one)] : [swap(other, one), swap(one, other)];
  // What is to come first does, also where both begin in the same row and one is too wide for its new place.
  const rest = order.filter((tile) => tile !== one && tile !== other);
  return settle([...rest, { ...first, y: first.y - 0.25 }, second]);
}

export function removed(tiles: readonly HostTile[], key: string): HostTile[] {
  return settle(tiles.filter((tile) => keyOf(tile) !== key));
}

/** New ones at the first free places from the top, as large as those of the same kind are at first. */
export function added(tiles: readonly HostTile[], some: readonly { kind: Kind; of: Subject }[]): HostTile[] {
  const all = [...tiles];
  for (const { kind, of } of some) {
    const subject = { backend: of.backend ?? null, node: of.node ?? null, device: of.device ?? null };
    const tile = { kind, ...subject, x: 0, y: 0, w: subject.node === null ? 6 : 4, h: 5 };
    if (all.length >= MOST_TILES || all.some((one) => keyOf(one) === keyOf(tile))) continue;
    all.push({ ...tile, ...firstFree(all, tile) });
  }
  return inOrder(all);
}

function firstFree(tiles: readonly HostTile[], tile: HostTile): { x: number; y: number } {
  for (let y = 0; ; y += 1) {
    for (let x = 0; x + tile.w <= COLUMNS; x += 1) {
      if (!tiles.some((one) => meet(one, { ...tile, x, y }))) return { x, y };
    }
  }
}
