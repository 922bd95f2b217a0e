import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { Box } from '../lib/boxes';
import { shifted } from '../lib/boxes';
import { devicesOf, type Row } from '../lib/rows';
import { type Span, snapped, timeAt } from '../lib/span';
import { type Area, type Change, ROW, type Selection } from './place';

export interface Point {
  row: number;
  at: number;
}

export type Drag = { kind: 'select'; area: Area } | { kind: 'change'; change: Change };

interface Options {
  span: Span;
  rows: readonly Row[];
  rowOf: ReadonlyMap<string, number>;
  boxes: readonly Box[];
  lanes: RefObject<HTMLDivElement | null>;
  scroller: RefObject<HTMLDivElement | null>;
  now: number;
  canReserve: boolean;
  /** What may be changed of it by dragging. */
  changeable: (box: Box) => 'all' | 'end' | 'nothing';
  onSelect: (selection: Selection) => void;
  onChange: (change: Change) => void;
  onOpen: (box: Box) => void;
  onPoint: (point: Point) => void;
}

interface Begun {
  kind: 'select' | 'move' | 'start' | 'end' | 'nothing';
  box: Box | undefined;
  point: Point;
  x: number;
  y: number;
  moved: boolean;
}

const CLICK_PX = 4;
const EDGE_PX = 24;

/** A rectangle over empty time, a box by its middle or by its edges. Fingers scroll; a tap is a click. */
export function useDrag(options: Options) {
  const known = useRef(options);
  known.current = options;
  const begun = useRef<Begun | null>(null);
  const [drag, setDrag] = useState<Drag | null>(null);

  const end = () => {
    begun.current = null;
    setDrag(null);
  };
  useEffect(() => {
    const giveUp = (event: KeyboardEvent) => event.key === 'Escape' && begun.current && end();
    window.addEventListener('keydown', giveUp);
    return () => window.removeEventListener('keydown', giveUp);
  });

  const pointOf = (event: PointerEvent): Point => {
    const { lanes, span, rows } = known.current;
    const frame = lanes.current?.getBoundingClientRect() ?? new DOMRect(0, 0, 1, 1);
    const part = Math.min(Math.max((event.clientX - frame.left) / frame.width, 0), 1);
    const row = Math.min(Math.max(Math.floor((event.clientY - frame.top) / ROW), 0), rows.length - 1);
    return { row, at: timeAt(span, part) };
  };

  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0 || known.current.rows.length === 0) return;
    const target = event.target as HTMLElement;
    const key = target.closest<HTMLElement>('[data-box]')?.dataset.box;
    const box = known.current.boxes.find((one) => one.key === key);
    const kind = box
      ? kindOf(known.current.changeable(box), target.dataset.edge)
      : known.current.canReserve
        ? 'select'
        : 'nothing';
    const touch = event.pointerType === 'touch';
    begun.current = {
      kind: touch ? 'nothing' : kind,
      box,
      point: pointOf(event),
      x: event.clientX,
      y: event.clientY,
      moved: false,
    };
    if (!touch) event.currentTarget.setPointerCapture(event.pointerId);
  };

  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const start = begun.current;
    if (!start) return;
    start.moved ||= Math.hypot(event.clientX - start.x, event.clientY - start.y) >= CLICK_PX;
    if (!start.moved || start.kind === 'nothing') return;
    scrollAtEdge(known.current.scroller.current, event.clientY);
    setDrag(proposal(known.current, start, pointOf(event)));
  };

  const onPointerUp = (event: PointerEvent<HTMLDivElement>) => {
    const start = begun.current;
    if (!start) return;
    const { onOpen, onPoint, onSelect, onChange, rows } = known.current;
    const found = start.moved && start.kind !== 'nothing' ? proposal(known.current, start, pointOf(event)) : null;
    end();
    if (!start.moved) {
      if (start.box) onOpen(start.box);
      else onPoint(start.point);
    } else if (found?.kind === 'select') {
      const { row, rows: count, from, until } = found.area;
      onSelect({ devices: devicesOf(rows, row, row + count - 1), from, until });
    } else if (found?.kind === 'change') onChange(found.change);
  };

  return { drag, handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: end } };
}

function kindOf(may: 'all' | 'end' | 'nothing', edge: string | undefined): Begun['kind'] {
  if (may === 'nothing') return 'nothing';
  if (edge === 'end') return 'end';
  if (may === 'end') return 'nothing';
  return edge === 'start' ? 'start' : 'move';
}

function proposal(options: Options, { kind, box, point }: Begun, to: Point): Drag | null {
  const { span, now, rows, rowOf } = options;
  if (kind === 'select') {
    const [first, last] = point.row <= to.row ? [point.row, to.row] : [to.row, point.row];
    const [early, late] = point.at <= to.at ? [point.at, to.at] : [to.at, point.at];
    const from = Math.max(snapped(span, early, Math.floor), now);
    const until = Math.max(snapped(span, late, Math.ceil), from + span.step);
    return { kind, area: { row: first, rows: last - first + 1, from, until } };
  }
  if (!box) return null;
  const { reservation, from, until } = box;
  const { devices } = reservation;
  if (kind === 'start') {
    const start = Math.min(Math.max(snapped(span, to.at), now), until - span.step);
    return { kind: 'change', change: { reservation, devices, from: start, until } };
  }
  if (kind === 'end') {
    const end = Math.max(snapped(span, to.at), Math.max(from, now) + span.step);
    return { kind: 'change', change: { reservation, devices, from, until: end } };
  }
  const start = Math.max(snapped(span, from + to.at - point.at), now);
  const moved = shifted(reservation, to.row - point.row, rows, rowOf) ?? devices;
  return { kind: 'change', change: { reservation, devices: moved, from: start, until: start + until - from } };
}

function scrollAtEdge(scroller: HTMLElement | null, y: number): void {
  const frame = scroller?.getBoundingClientRect();
  if (!scroller || !frame) return;
  if (y > frame.bottom - EDGE_PX) scroller.scrollTop += 10;
  else if (y < frame.top + 42 + EDGE_PX) scroller.scrollTop -= 10;
}
