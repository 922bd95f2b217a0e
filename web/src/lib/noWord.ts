/** Of how many tasks nothing is heard, as a sentence of the page. */

import type { NoWord } from '../api/types';
import { clock, integer } from './format';

/** `No report from 2 of 5 running tasks since 14:32` */
export function noWordText({ tasks, since }: NoWord, running: number, now = Date.now()): string {
  const which =
    running > tasks
      ? `${integer(tasks)} of ${integer(running)} running tasks`
      : tasks === 1
        ? 'the running task'
        : `the ${integer(tasks)} running tasks`;
  return `No report from ${which} since ${clock(since, now)}`;
}
