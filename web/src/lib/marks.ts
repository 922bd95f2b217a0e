/** A number that a person has marked in a line of a log. */

export interface NumberMark {
  line: string;
  start: number;
  end: number;
}

const NUMBER = /(?<![\w.])[-+]?(?:\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|nan|inf)(?![\w.]*\d)/g;

/** The number of a line that the range from `start` to `end` touches; the last one of the line without a range. */
export function numberAt(line: string, start?: number, end?: number): NumberMark | null {
  const found = [...line.matchAll(NUMBER)].map(({ index, 0: text }) => ({
    line,
    start: index,
    end: index + text.length,
  }));
  if (start === undefined || end === undefined) return found.at(-1) ?? null;
  return found.find((one) => one.start < end && one.end > start) ?? null;
}

/** A name for it: the word before the number, if that can be one. */
export function nameFor({ line, start }: NumberMark): string {
  return (
    line
      .slice(0, start)
      .match(/([A-Za-z_]\w*)\W*$/)?.[1]
      ?.slice(0, 64) ?? ''
  );
}
