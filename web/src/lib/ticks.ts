/** Where the ticks of an axis are. Every function ends, and returns few numbers, whatever the limits are. */

const MOST = 60;

/** Round numbers, about this many; `whole`: no fractions between whole numbers. */
export function linearTicks(low: number, high: number, about = 5, whole = false): number[] {
  const raw = (high - low) / about;
  if (!(raw > 0 && Number.isFinite(raw))) return [];
  const size = 10 ** Math.floor(Math.log10(raw));
  const round = size * ([1, 2, 5, 10].find((one) => raw <= one * size * 1.0001) ?? 10);
  return multiples(low, high, whole ? Math.max(Math.round(round), 1) : round);
}

/** Between two exponents of ten: powers of ten, with some numbers between them when they are few. */
export function logTicks(low: number, high: number): number[] {
  if (!(high > low && Number.isFinite(high - low))) return [];
  const factors = high - low < 1.2 ? [1, 2, 3, 5, 7] : high - low < 3 ? [1, 3] : [1];
  const every = Math.ceil((high - low) / 8);
  const ticks: number[] = [];
  for (let power = Math.floor(low); power <= Math.ceil(high); power += every) {
    for (const factor of factors) {
      const value = Number(`${factor}e${power}`); // 3 * 10 ** -4 is 0.00030000000000000003
      const at = Math.log10(value);
      if (at >= low - 1e-9 && at <= high + 1e-9) ticks.push(value);
    }
  }
  return ticks.length >= 2 ? ticks : linearTicks(10 ** low, 10 ** high);
}

const DAY = 86_400;
const SPANS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, DAY];

/** Seconds, at round times; `zone` seconds are added to get the time that a person reads on the clock. */
export function timeTicks(low: number, high: number, about = 5, zone = 0): number[] {
  const raw = (high - low) / about;
  if (raw <= 1) return linearTicks(low, high, about);
  const days = Math.max(Math.ceil(raw / DAY), 1);
  const every = SPANS.find((span) => span >= raw) ?? days * DAY;
  return multiples(low + zone, high + zone, every).map((at) => at - zone);
}

/** Counted by places, not added up: near large numbers a small step changes nothing. */
function multiples(low: number, high: number, step: number): number[] {
  const first = Math.ceil(low / step - 1e-9);
  const ticks: number[] = [];
  for (let place = 0; place < MOST; place++) {
    const value = (first + place) * step + 0; // never -0
    if (!(value <= high + step * 1e-9)) break;
    if (value !== ticks.at(-1)) ticks.push(value);
  }
  return ticks;
}
