/** Numbers of tasks as short text: 1,000 chosen rows fit into an address. */

/** `1-3,7` */
export function rangesText(numbers: Iterable<number>): string {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const parts: [number, number][] = [];
  for (const one of sorted) {
    const last = parts.at(-1);
    if (last && one === last[1] + 1) last[1] = one;
    else parts.push([one, one]);
  }
  return parts.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

/** Whether a number is in a text like `1-3,7`; what is not understood is left out. */
export function inRanges(text: string): (number: number) => boolean {
  const parts = text
    .split(',')
    .map((part) => /^\s*(\d+)(?:-(\d+))?\s*$/.exec(part))
    .filter((match) => match !== null)
    .map(([, from, to]): [number, number] => [Number(from), Number(to ?? from)]);
  return (number) => parts.some(([from, to]) => number >= from && number <= to);
}
