/** Brushes of parallel coordinates, as words of the filter that the server understands: `lr>=0.01`, `opt=adam|sgd`. */

import { number } from '../../../lib/format';
import type { Axis } from './axis';

const PLAIN_NAME = /^[A-Za-z_#][\w./-]*$/;
const PLAIN_VALUE = /^[^\s"|]+$/;
const PARTS = /^("[^"]+"|[A-Za-z_#][\w./-]*)(<=|>=|=)(.+)$/;

/** A comparison; texts with spaces are put in quotation marks. */
export function word(name: string, sign: '=' | '<=' | '>=', ...values: string[]): string {
  const value = values.map((one) => (PLAIN_VALUE.test(one) ? one : `"${one.replaceAll('"', '')}"`)).join('|');
  return `${PLAIN_NAME.test(name) ? name : `"${name}"`}${sign}${value}`;
}

/** The words for a part of an axis, from place to place; none when there is nothing in it, or all. */
export function brushed(axis: Axis, name: string, low: number, high: number): string[] {
  if (axis.categories) {
    const texts = axis.categories.filter(({ at }) => at >= low && at <= high).map(({ text }) => text);
    return texts.length && texts.length < axis.categories.length ? [word(name, '=', ...texts)] : [];
  }
  return [word(name, '>=', short(axis.value(low), Math.floor)), word(name, '<=', short(axis.value(high), Math.ceil))];
}

/** Four digits, rounded outwards so that what lies at an end stays in. */
function short(value: number, round: (value: number) => number): string {
  if (value === 0) return '0';
  const size = 10 ** (3 - Math.floor(Math.log10(Math.abs(value))));
  return String(Number((round(value * size) / size).toPrecision(12)));
}

function parts(text: string): { name: string; sign: string; value: string } | null {
  const found = PARTS.exec(text);
  return (
    found && { name: (found[1] as string).replaceAll('"', ''), sign: found[2] as string, value: found[3] as string }
  );
}

/** The words without those about this name, and these in their place. */
export function replaced(words: readonly string[], name: string, next: readonly string[]): string[] {
  return [...words.filter((one) => parts(one)?.name !== name), ...next];
}

/** What is brushed of an axis, as places; null when nothing is. */
export function places(axis: Axis, name: string, words: readonly string[]): [number, number] | null {
  let found: [number, number] | null = null;
  for (const text of words) {
    const one = parts(text);
    if (one?.name !== name) continue;
    found ??= [0, 1];
    if (axis.categories) {
      const wanted = new Set((one.value.match(/"[^"]*"|[^|"]+/g) ?? []).map((value) => value.replaceAll('"', '')));
      const at = axis.categories.filter((category) => wanted.has(category.text)).map((category) => category.at);
      const half = 0.5 / Math.max(axis.categories.length, 1);
      found = [Math.min(...at) - half, Math.max(...at) + half];
    } else if (one.sign === '>=') found[0] = axis.place(Number(one.value)) ?? 0;
    else if (one.sign === '<=') found[1] = axis.place(Number(one.value)) ?? 1;
  }
  return found;
}

export interface Chip {
  name: string;
  text: string;
}

/** What is brushed, for people: one a parameter. */
export function chips(words: readonly string[]): Chip[] {
  const found = new Map<string, { equal?: string; from?: string; to?: string }>();
  for (const text of words) {
    const one = parts(text);
    if (!one) continue;
    const chip = found.get(one.name) ?? {};
    if (one.sign === '=') chip.equal = one.value.replaceAll('"', '').replaceAll('|', ', ');
    else chip[one.sign === '>=' ? 'from' : 'to'] = number(Number(one.value));
    found.set(one.name, chip);
  }
  return [...found].map(([name, { equal, from, to }]) => ({ name, text: equal ?? `${from ?? ''} – ${to ?? ''}` }));
}
