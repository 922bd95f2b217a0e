/** How the tasks of a job share GPUs, in words. */

import type { Packing } from '../../../api/types';
import { bytes, percent, plural } from '../../../lib/format';

type Limit = NonNullable<Packing['limit']>;

const LIMITS: Record<Limit, string> = {
  asked: 'as asked for',
  tasks: 'there are no more tasks',
  memory: 'limited by the GPU’s memory',
  host_memory: 'limited by the node’s memory',
  cores: 'limited by the CPU cores',
  gain: 'more do not help',
};

/** `24 tasks share each NVIDIA H200`. */
export function packingTitle({ gpu, tasks }: Packing, ended = false): string {
  if (tasks === 1) return `Each ${gpu} ${ended ? 'had' : 'has'} one task at a time`;
  return `${plural(tasks, 'task')} ${ended ? 'shared' : 'share'} each ${gpu}`;
}

/** Why this many tasks share a GPU, and the gain: a few words each. */
export function packingWords(packing: Packing, ended = false): string[] {
  const { need, total, load, speedup, known } = packing;
  const words = [
    reason(packing, ended),
    speedup != null && speedupText(speedup),
    Boolean(need) && `each needs ${bytes(need)}${total == null ? '' : ` of ${bytes(total)}`}`,
    load != null && `the GPU ${ended ? 'was' : 'is'} busy ${percent(load)} of the time${notTheGpu(packing)}`,
    known === true && 'began with what an earlier job had learned',
  ];
  return words.filter((one) => one !== false);
}

/** What limits the speed of tasks that leave their GPU idle for much of the time, if that is known. */
function notTheGpu({ tasks, load, limit, processor, startup }: Packing): string {
  const limits = [
    ...((processor ?? 0) >= 0.75 ? ['the processor'] : []),
    ...((startup ?? 0) >= 0.3 ? ['the start of the scripts'] : []),
  ];
  const idle = tasks > 1 && load != null && load < 0.7 && limit !== 'memory' && limit !== 'host_memory';
  return idle && limits.length > 0 ? `, limited by ${limits.join(' and ')}` : '';
}

function reason({ auto, limit, tasks, target }: Packing, ended: boolean): string {
  if (!auto && target != null && tasks >= target) return LIMITS.asked;
  if (limit === null || limit === undefined) {
    if (ended) return auto ? 'chosen automatically' : 'as asked for';
    return auto ? 'chosen automatically, still growing' : 'still growing';
  }
  if (auto) return limit === 'asked' ? 'chosen automatically' : `chosen automatically: ${LIMITS[limit]}`;
  return limit === 'asked' || limit === 'tasks' ? LIMITS[limit] : `fewer than asked for: ${LIMITS[limit]}`;
}

/** `11× as fast as one at a time`. */
function speedupText(speedup: number): string {
  const times = speedup < 9.95 ? Number(speedup.toFixed(1)) : Math.round(speedup);
  return times === 1 ? 'as fast as one at a time' : `${times}× as fast as one at a time`;
}
