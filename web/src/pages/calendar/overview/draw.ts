/** The canvas of the overview: one line per device, time to the right. */

import type { Overview, ReservableDevice } from '../../../api/types';
import { addDays, DAY, HOUR, startOfDay, weekday } from '../../../lib/zone';
import { FONT } from '../../../parts/plots/Plot';
import { type HourKind, runsOf } from '../lib/overview';
import { dayName } from '../lib/words';

export const TOP = 22;
export const LEFT = 96;

export type Palette = Record<HourKind | 'line' | 'text' | 'dimmed' | 'now', string>;

export interface Picture {
  overview: Overview;
  /** Known ones, by id. */
  devices: ReadonlyMap<string, ReservableDevice>;
  name: string;
  zone: string;
  width: number;
  rowHeight: number;
  now: number;
  palette: Palette;
}

export function rowHeightOf(count: number): number {
  return Math.min(Math.max(Math.floor(620 / Math.max(count, 1)), 5), 18);
}

export function paletteOf(element: Element): Palette {
  const style = getComputedStyle(element);
  const of = (name: string) => style.getPropertyValue(name).trim();
  return {
    free: of('--app-surface'),
    mine: of('--app-accent'),
    others: of('--state-submitted-bar'),
    idle: of('--state-stopped-bar'),
    used: of('--state-finished-bar'),
    maintenance: of('--state-pruned-bar'),
    line: of('--app-line'),
    text: of('--mantine-color-text'),
    dimmed: of('--mantine-color-dimmed'),
    now: of('--state-error-bar'),
  };
}

export function drawOverview(context: CanvasRenderingContext2D, picture: Picture): void {
  const { overview, devices, name, width, rowHeight, now, palette } = picture;
  const since = Date.parse(overview.since);
  const perHour = (width - LEFT) / overview.hours;
  const bottom = TOP + overview.devices.length * rowHeight;
  context.clearRect(0, 0, width, bottom);
  context.font = `11px ${FONT}`;
  context.textBaseline = 'middle';
  context.fillStyle = palette.free;
  context.fillRect(LEFT, TOP, width - LEFT, bottom - TOP);
  let host = '';
  for (const [index, row] of overview.devices.entries()) {
    const y = TOP + index * rowHeight;
    const device = devices.get(row.device);
    if (device && device.host !== host) {
      host = device.host;
      context.fillStyle = palette.line;
      context.fillRect(0, y, width, 1);
      context.fillStyle = palette.text;
      context.fillText(clipped(context, host, LEFT - 8), 0, y + Math.max(rowHeight / 2, 8));
    }
    for (const { kind, from, until } of runsOf(row, overview.hours, name)) {
      context.fillStyle = palette[kind];
      context.fillRect(LEFT + from * perHour, y + 1, (until - from) * perHour, rowHeight - 1);
    }
  }
  drawDays(context, picture, since, perHour, bottom);
  const at = LEFT + ((now - since) / HOUR) * perHour;
  if (at >= LEFT && at <= width) {
    context.fillStyle = palette.now;
    context.fillRect(at - 1, TOP - 4, 2, bottom - TOP + 4);
  }
}

function drawDays(
  context: CanvasRenderingContext2D,
  picture: Picture,
  since: number,
  perHour: number,
  bottom: number,
): void {
  const { overview, zone, width, palette } = picture;
  const days = overview.hours / 24;
  const every = days <= 8 ? 1 : 7;
  let day = startOfDay(since, zone);
  if (every === 7) day = addDays(day, -weekday(day, zone), zone);
  let free = LEFT; // where the label before ends
  for (; day < since + days * DAY; day = addDays(day, every, zone)) {
    const x = LEFT + ((day - since) / HOUR) * perHour;
    if (x < LEFT) continue;
    context.fillStyle = palette.line;
    context.fillRect(x, TOP - 6, 1, bottom - TOP + 6);
    const label = every === 7 ? dayName(day, zone).replace(/^\w+ /, '') : dayName(day, zone);
    const end = x + 4 + context.measureText(label).width;
    if (x < free || end > width) continue;
    context.fillStyle = palette.dimmed;
    context.fillText(label, x + 4, 9);
    free = end + 6;
  }
}

function clipped(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let end = text.length;
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > width) end -= 1;
  return `${text.slice(0, end)}…`;
}

export interface Hit {
  row: number;
  hour: number;
}

export function hitAt({ overview, width, rowHeight }: Picture, x: number, y: number): Hit | null {
  const row = Math.floor((y - TOP) / rowHeight);
  const hour = Math.floor(((x - LEFT) / (width - LEFT)) * overview.hours);
  return row >= 0 && row < overview.devices.length && hour >= 0 && hour < overview.hours ? { row, hour } : null;
}
