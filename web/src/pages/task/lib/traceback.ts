/** The part of a log that shows what went wrong. */

import { findError, LogLines } from '../../../lib/log';

const MOST_LINES = 200;
const LAST_LINES = 15;
const DRIVER = /^ {2}File ".*[\\/]\.paddock-map[\\/]map\.py", line \d+, in main$/;

export interface ErrorText {
  /** Whether an error was found; else these are the last lines. */
  found: boolean;
  text: string;
}

export function errorText(tail: string): ErrorText | null {
  const log = new LogLines();
  log.add(tail);
  const lines = withoutDriver(withoutBlankEnd(log.lines));
  if (lines.length === 0) return null;
  const start = findError(lines);
  if (start < 0) return { found: false, text: lines.slice(-LAST_LINES).join('\n') };
  const shown = lines.slice(start);
  if (shown.length <= MOST_LINES) return { found: true, text: shown.join('\n') };
  const left = shown.length - MOST_LINES;
  return { found: true, text: [...shown.slice(0, MOST_LINES), `… ${left} more lines in the log`].join('\n') };
}

/** Of a map: its driver ends with a traceback of its own, of no use to who wants to know about the command. */
function withoutDriver(lines: string[]): string[] {
  const end = lines.findLastIndex((line) => line.startsWith('Traceback '));
  return end >= 0 && DRIVER.test(lines[end + 1] ?? '') ? lines.slice(0, end) : lines;
}

function withoutBlankEnd(lines: readonly string[]): string[] {
  let end = lines.length;
  while (end > 0 && lines[end - 1]?.trim() === '') end -= 1;
  return lines.slice(0, end);
}
