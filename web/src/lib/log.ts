/** A log as lines of text: no escape sequences, progress bars as they stood last. */

const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

export function cleanLine(line: string): string {
  let text = line;
  if (text.includes('\u001b')) text = text.replace(ESCAPES, '');
  if (text.includes('\r')) {
    const parts = text.split('\r').filter((part) => part !== '');
    text = parts.at(-1) ?? '';
  }
  return text.replace(CONTROL, '');
}

/** Lines with the last one unfinished: more text is added to it. */
export class LogLines {
  lines: string[] = [];
  private rest = '';

  add(text: string): void {
    const parts = (this.rest + text).split('\n');
    if (this.rest !== '') this.lines.pop();
    this.rest = parts.pop() ?? '';
    for (const part of parts) this.lines.push(cleanLine(part));
    if (this.rest !== '') this.lines.push(cleanLine(this.rest));
  }
}

const ERROR =
  /^Traceback \(most recent call last\)|^\s*(?:[\w.]+\.)?\w*(?:Error|Exception|Interrupt)\b(?::|$)|\bCUDA out of memory\b|\bSegmentation fault\b|^Killed$|^(?:slurmstepd: )?error:/;

/** Where the last error in the log begins: its traceback, or the line with its message. -1: none. */
export function findError(lines: readonly string[]): number {
  for (let i = lines.length - 1; i >= 0; i--) {
    if (!ERROR.test(lines[i] as string)) continue;
    for (let above = i; above >= 0 && above > i - 200; above--) {
      const line = lines[above] as string;
      if (line.startsWith('Traceback (most recent call last)')) return above;
      if (above < i && line !== '' && !/^\s/.test(line) && !ERROR.test(line)) break;
    }
    return i;
  }
  return -1;
}

/** Indices of the lines that contain the text, whatever its case. */
export function findText(lines: readonly string[], text: string): number[] {
  const wanted = text.toLowerCase();
  if (wanted === '') return [];
  const found: number[] = [];
  lines.forEach((line, i) => {
    if (line.toLowerCase().includes(wanted)) found.push(i);
  });
  return found;
}

/** A line in pieces: [text, whether it is the text searched for]. */
export function splitMatches(line: string, text: string): [string, boolean][] {
  if (text === '') return [[line, false]];
  const [lower, wanted] = [line.toLowerCase(), text.toLowerCase()];
  // Lower case may be longer than the original in some scripts: then the places do not fit.
  if (lower.length !== line.length) return [[line, false]];
  const pieces: [string, boolean][] = [];
  let at = 0;
  for (let hit = lower.indexOf(wanted); hit >= 0; hit = lower.indexOf(wanted, at)) {
    if (hit > at) pieces.push([line.slice(at, hit), false]);
    at = hit + wanted.length;
    pieces.push([line.slice(hit, at), true]);
  }
  if (at < line.length) pieces.push([line.slice(at), false]);
  return pieces;
}
