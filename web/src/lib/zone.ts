/** Wall clocks: moments (milliseconds since 1970) and what a clock in a time zone shows then. */

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known) return known;
  const digits = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
  const made = new Intl.DateTimeFormat('en-GB', { ...digits, second: '2-digit', hourCycle: 'h23', timeZone: zone });
  clocks.set(zone, made);
  return made;
}

/** Clocks are changed at whole quarters of an hour, so one look per quarter is enough: a look is slow. */
const QUARTER = 15 * MINUTE;
const MOST_KNOWN = 20_000;
const offsets = new Map<string, number>();

/** By how much the clock is ahead of UTC. */
function offsetOf(at: number, zone: string): number {
  const quarter = Math.floor(at / QUARTER) * QUARTER;
  const key = `${quarter} ${zone}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  if (offsets.size >= MOST_KNOWN) offsets.clear();
  const offset = read(quarter, zone) - quarter;
  offsets.set(key, offset);
  return offset;
}

function read(at: number, zone: string): number {
  const part = Object.fromEntries(
    clockOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** What the clock shows, to the second, as if it were that of UTC. */
function shown(at: number, zone: string): number {
  return Math.floor(at / 1000) * 1000 + offsetOf(at, zone);
}

/** The moment at which the clock shows this; for a time that is jumped over in spring, as much after the jump. */
function moment(wall: number, zone: string): number {
  const near = wall - offsetOf(wall, zone);
  const at = wall - offsetOf(near, zone);
  // In autumn an hour comes twice: the first.
  const earlier = at - HOUR;
  return shown(earlier, zone) === wall ? earlier : at;
}

export function startOfDay(at: number, zone: string): number {
  return moment(Math.floor(shown(at, zone) / DAY) * DAY, zone);
}

/** At the same time of day, some days later. */
export function addDays(at: number, days: number, zone: string): number {
  return moment(shown(at, zone) + days * DAY, zone);
}

/** 0 is Monday. */
export function weekday(at: number, zone: string): number {
  return (new Date(shown(at, zone)).getUTCDay() + 6) % 7;
}

/** Hours that the clock shows, with a fraction: 13.5. */
export function hourOf(at: number, zone: string): number {
  return (shown(at, zone) % DAY) / HOUR;
}

/** `2026-11-18T14:30`, as a field for dates and times has it. */
export function fieldText(at: number, zone: string): string {
  return new Date(shown(at, zone)).toISOString().slice(0, 16);
}

/** `2026-11-18`. */
export function dayText(at: number, zone: string): string {
  return fieldText(at, zone).slice(0, 10);
}

/** The moment of such a text, with a time or without; null if it is none. */
export function fromField(text: string, zone: string): number | null {
  const wall = /^\d{4}-\d\d-\d\d(T\d\d:\d\d)?$/.test(text)
    ? Date.parse(`${text.slice(0, 16)}${text[10] ? '' : 'T00:00'}Z`)
    : Number.NaN;
  return Number.isFinite(wall) ? moment(wall, zone) : null;
}
