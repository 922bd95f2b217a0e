import { type KeyboardEvent, useState } from 'react';
import type { Box } from '../lib/boxes';
import { boxAt, shifted } from '../lib/boxes';
import { devicesOf, type Row } from '../lib/rows';
import { type Span, snapped } from '../lib/span';
import { boxName, spanName } from '../lib/words';
import type { Area, Change, Selection } from './place';
import type { Point } from './useDrag';

/** A cell, and the one at which the selection has begun. */
interface Cursor {
  row: number;
  at: number;
  anchor: Point;
}

interface Options {
  span: Span;
  rows: readonly Row[];
  rowOf: ReadonlyMap<string, number>;
  boxes: readonly Box[];
  now: number;
  changeable: (box: Box) => 'all' | 'end' | 'nothing';
  onSelect: (selection: Selection) => void;
  onChange: (change: Change) => void;
  onOpen: (box: Box) => void;
  onTurn: (by: 1 | -1) => void;
  onReveal: (row: number) => void;
}

const ARROWS: Record<string, readonly [rows: number, steps: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/**
 * Arrows move a cell, with Shift they select; Enter reserves, or opens what is there. M takes hold of a reservation:
 * arrows move it, with Shift its end, Enter keeps that, Escape gives it up.
 */
export function useKeys(options: Options) {
  const { span, rows, rowOf, boxes, now, changeable, onSelect, onChange, onOpen, onTurn, onReveal } = options;
  const [kept, setCursor] = useState<Cursor | null>(null);
  const [held, setHeld] = useState<Change | null>(null);
  const [said, setSaid] = useState('');

  const inSight = kept && kept.at >= span.from && kept.at < span.until && kept.row < rows.length;
  const cursor = inSight ? kept : null;
  const area = cursor && areaOf(cursor, span);
  const under = area && area.rows === 1 ? boxAt(boxes, area.row, area.from, area.until) : undefined;

  const say = (next: Cursor) => {
    const { row, rows: count, from, until } = areaOf(next, span);
    const on = count === 1 ? boxAt(boxes, row, from, until) : undefined;
    const where = count === 1 ? nameOf(rows[row]) : `${nameOf(rows[row])} to ${nameOf(rows[row + count - 1])}`;
    setSaid(`${where}, ${spanName(from, until, span.zone)}${on ? `, ${boxName(on.reservation)}` : ''}`);
  };
  const put = (next: Cursor) => {
    setCursor(next);
    say(next);
    onReveal(next.row);
  };
  const first = (): Cursor => {
    const at = Math.max(snapped(span, Math.max(now, span.from), Math.floor), span.from);
    const row = Math.max(
      rows.findIndex(({ kind }) => kind === 'device'),
      0,
    );
    return { row, at, anchor: { row, at } };
  };

  const move = (from: Cursor, [down, right]: readonly [number, number], extend: boolean) => {
    const row = Math.min(Math.max(from.row + down, 0), rows.length - 1);
    const at = Math.min(Math.max(from.at + right * span.step, span.from), span.until - span.step);
    put({ row, at, anchor: extend ? from.anchor : { row, at } });
  };

  const shift = (
    of: Change,
    [down, right]: readonly [number, number],
    end: boolean,
    may: 'all' | 'end' | 'nothing',
  ) => {
    const { reservation } = of;
    const by = right * span.step;
    let next = of;
    if (end || may === 'end') next = { ...of, until: Math.max(of.until + by, Math.max(of.from, now) + span.step) };
    else {
      const moved = down ? shifted({ ...reservation, devices: of.devices }, down, rows, rowOf) : of.devices;
      const from = Math.max(of.from + by, now);
      next = { ...of, devices: moved ?? of.devices, from, until: from + of.until - of.from };
    }
    setHeld(next);
    setSaid(`${boxName(reservation)}: ${spanName(next.from, next.until, span.zone)}`);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
    const arrow = ARROWS[event.key];
    const may = under ? changeable(under) : 'nothing';
    if (arrow && held)
      shift(held, arrow, event.shiftKey, changeable({ ...(under as Box), reservation: held.reservation }));
    else if (arrow) cursor ? move(cursor, arrow, event.shiftKey) : put(first());
    else if (event.key === 'Escape' && held) {
      setHeld(null);
      setSaid('It stays as it was');
    } else if (event.key === 'Escape' && cursor) setCursor(null);
    else if (event.key === 'PageUp' || event.key === 'PageDown') onTurn(event.key === 'PageUp' ? -1 : 1);
    else if (event.key.toLowerCase() === 'm' && under && may !== 'nothing') {
      const { reservation, from, until } = under;
      setHeld({ reservation, devices: reservation.devices, from, until });
      setSaid(
        `Moving ${boxName(reservation)}: arrows move it, Shift and arrows move its end, Enter keeps it, Escape gives up`,
      );
    } else if (event.key === 'Enter' && held) {
      onChange(held);
      setHeld(null);
    } else if (event.key === 'Enter' && under) onOpen(under);
    else if (event.key === 'Enter' && area) {
      const from = Math.max(area.from, now);
      const devices = devicesOf(rows, area.row, area.row + area.rows - 1);
      if (area.until > now) onSelect({ devices, from, until: area.until });
      else setSaid('That is over: choose a time that is to come');
    } else return;
    event.preventDefault();
  };

  return {
    area,
    held,
    said,
    onKeyDown,
    point: ({ row, at }: Point) => put(cellAt(span, row, at)),
    drop: () => setHeld(null),
  };
}

function cellAt(span: Span, row: number, moment: number): Cursor {
  const at = snapped(span, moment, Math.floor);
  return { row, at, anchor: { row, at } };
}

function areaOf({ row, at, anchor }: Cursor, { step }: Span): Area {
  const [first, last] = [Math.min(row, anchor.row), Math.max(row, anchor.row)];
  return { row: first, rows: last - first + 1, from: Math.min(at, anchor.at), until: Math.max(at, anchor.at) + step };
}

function nameOf(row: Row | undefined): string {
  return row === undefined ? '' : row.kind === 'group' ? row.group.name : row.device.name;
}
