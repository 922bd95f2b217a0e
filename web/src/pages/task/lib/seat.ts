/** The part of an allocation that a task has, and what it had to wait for, in words. */

import type { FreeMemory, Seat } from '../../../api/types';
import { bytes } from '../../../lib/format';

/** `GPU 0, NVIDIA H200`; null where it has none. */
export function gpusText({ gpus = [], gpu_name: name }: Seat): string | null {
  if (gpus.length === 0) return null;
  const kind = name === 'GPU' ? null : name; // so it is called where no driver tells more
  return [`${gpus.length === 1 ? 'GPU' : 'GPUs'} ${gpus.join(', ')}`, kind].filter(Boolean).join(', ');
}

/** `0–3, 8`: neighbours as a range. */
export function coresText(cores: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const core of [...cores].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && core === last[1] + 1) last[1] = core;
    else ranges.push([core, core]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
}

/** How it shares its GPU; null where it does not. */
export function sharingText({ sharing, why }: Seat): string | null {
  if (sharing === 'mps') return 'shares the GPU through NVIDIA MPS';
  if (sharing === 'turns') return `shares the GPU by taking turns${why ? `: ${why}` : ''}`;
  return null;
}

/** `12 GiB free on the GPU and no other task beside it`; null where there is nothing to wait for. */
export function roomText(room: FreeMemory | null | undefined): string | null {
  const parts = [
    room?.gpu != null && `${bytes(room.gpu)} free on the GPU`,
    room?.host != null && `${bytes(room.host)} free on the node`,
    room?.alone && 'no other task beside it',
  ];
  return parts.filter(Boolean).join(' and ') || null;
}
