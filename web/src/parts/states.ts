/** How each task state looks, the same everywhere. The server decides what a state means. */

import type { TaskCounts, TaskState } from '../api/types';
import { type Icon, IconAlert, IconCheck, IconClock, IconRunning, IconScissors, IconStop } from './icons';

/** In the order in which bars and lists show them. */
export const STATES: readonly TaskState[] = ['finished', 'running', 'submitted', 'pruned', 'stopped', 'error'];

export const STATE_ICONS: Record<TaskState, Icon> = {
  submitted: IconClock,
  running: IconRunning,
  finished: IconCheck,
  error: IconAlert,
  stopped: IconStop,
  pruned: IconScissors,
};

export function stateColor(state: TaskState): string {
  return `var(--state-${state}-bar)`;
}

export function taskTotal(counts: TaskCounts): number {
  return STATES.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
}
