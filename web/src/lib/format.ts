/** Numbers, times and sizes as people read them. */

export const NOTHING = '–';

/** The time zone that the person has chosen; without one, the browser's. */
let zone: string | undefined;

export function showTimesIn(name: string | undefined): void {
  try {
    if (name) new Intl.DateTimeFormat(undefined, { timeZone: name });
    zone = name || undefined;
  } catch {
    zone = undefined; // a zone that this browser does not know
  }
}

/** Its name; that of the browser's where the person has chosen none. */
export function shownZone(): string {
  return zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC';
}

/** A measured value with four digits that matter: 0.4312, 12.35, 3.21e-5. */
export function number(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || Number.isNaN(value)) return NOTHING;
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return shortExponent(value.toExponential(Math.max(digits - 2, 0)));
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  const decimals = Math.min(Math.max(digits - 1 - Math.floor(Math.log10(size)), 0), 8);
  return trimZeros(value.toFixed(decimals));
}

/** `0.1928 ± 0.0042`; without a spread, the value alone. */
export function measured(value: number | null | undefined, spread: number | null | undefined, digits = 4): string {
  return number(value, digits) + (value == null || spread == null ? '' : ` ± ${number(spread, 2)}`);
}

function shortExponent(text: string): string {
  const [mantissa = '', exponent = ''] = text.split('e');
  return `${trimZeros(mantissa)}e${exponent.replace('+', '')}`;
}

function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

export function integer(value: number | null | undefined): string {
  return value === null || value === undefined ? NOTHING : Math.round(value).toLocaleString('en-US');
}

export function percent(part: number | null | undefined): string {
  if (part === null || part === undefined) return NOTHING;
  const hundred = part * 100;
  return `${hundred > 0 && hundred < 1 ? '<1' : hundred < 100 ? Math.floor(hundred) : 100} %`;
}

/** A share of a whole, to the nearest percent, as the command line writes it: `31 %`, `<1 %`. */
export function share(part: number): string {
  const hundred = part * 100;
  return `${hundred > 0 && hundred < 1 ? '<1' : hundred.toFixed(0)} %`;
}

/** 0.4 s · 12 s · 3 min 20 s · 2 h 05 min · 3 d 4 h */
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return NOTHING;
  if (seconds < 9.95) return `${trimZeros(Math.max(seconds, 0).toFixed(1))} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return join(Math.floor(whole / 60), 'min', whole % 60, 's');
  const minutes = Math.round(whole / 60);
  if (minutes < 24 * 60) return join(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  const hours = Math.round(minutes / 60);
  return join(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function join(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small ? `${large} ${largeUnit} ${small} ${smallUnit}` : `${large} ${largeUnit}`;
}

/** Seconds between two moments; to now where the second is missing. */
export function secondsBetween(
  from: string | null | undefined,
  to: string | null | undefined,
  now = Date.now(),
): number | null {
  if (!from) return null;
  return Math.max((to ? Date.parse(to) : now) - Date.parse(from), 0) / 1000;
}

const STEPS: [number, number, string][] = [
  [60, 1, 's'],
  [3600, 60, 'min'],
  [86400, 3600, 'h'],
  [86400 * 30, 86400, 'd'],
];

export function ago(moment: string | number | Date, now = Date.now()): string {
  const date = new Date(moment);
  const seconds = (now - date.getTime()) / 1000;
  if (Math.abs(seconds) < 5) return 'just now';
  for (const [below, unit, name] of STEPS) {
    if (Math.abs(seconds) < below) {
      const count = Math.floor(Math.abs(seconds) / unit);
      return seconds > 0 ? `${count} ${name} ago` : `in ${count} ${name}`;
    }
  }
  return date.toLocaleDateString(undefined, { dateStyle: 'medium', timeZone: zone });
}

/** A moment that the server gives as seconds, as the text of one. */
export function fromSeconds(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

/** In the zone of the person, named. */
export function absolute(moment: string | number | Date): string {
  return new Date(moment).toLocaleString(undefined, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
    timeZone: zone,
  });
}

export const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB'];

/** `16 GiB`, `1.5 GiB`, `500 MiB`: as the server and the command line write it. */
export function bytes(count: number | null | undefined): string {
  if (count === null || count === undefined) return NOTHING;
  let value = count;
  let unit = 0;
  while (value >= 1023.95 && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${trimZeros(value.toFixed(1))} ${BYTE_UNITS[unit]}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}

/** `14:05` today; with the day on other days. In the zone of the person. */
export function clock(moment: string | number | Date, now = Date.now(), seconds = false): string {
  const date = new Date(moment);
  const digits = { hour: '2-digit', minute: '2-digit', ...(seconds ? { second: '2-digit' as const } : {}) } as const;
  const time = date.toLocaleTimeString(undefined, { ...digits, timeZone: zone });
  const day = (of: Date) => of.toLocaleDateString('en-US', { timeZone: zone });
  if (day(date) === day(new Date(now))) return time;
  const named = date.toLocaleDateString(undefined, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    timeZone: zone,
  });
  return `${named}, ${time}`;
}

/** As it is written in a form and the server reads it: `16G`, `500M`; bytes that are no whole MiB stay a number. */
export function sizeText(count: number | string | null | undefined): string {
  if (typeof count !== 'number') return count ?? '';
  const power = [4, 3, 2].find((one) => count >= 1024 ** one && count % 1024 ** one === 0);
  return power === undefined ? String(count) : `${count / 1024 ** power}${'BKMGT'[power]}`;
}

/** As it is written in a form and the server reads it: `4h`, `1d12h`, `90s`. */
export function spanText(seconds: number | string | null | undefined): string {
  if (typeof seconds !== 'number') return seconds ?? '';
  const parts: [string, number][] = [
    ['d', Math.floor(seconds / 86_400)],
    ['h', Math.floor((seconds % 86_400) / 3600)],
    ['m', Math.floor((seconds % 3600) / 60)],
    ['s', seconds % 60],
  ];
  const text = parts.map(([unit, count]) => (count ? `${count}${unit}` : '')).join('');
  return text || '0s';
}
