import { VisuallyHidden } from '@mantine/core';
import { type UIEvent, useCallback, useId, useMemo, useRef, useState } from 'react';
import type { Reservation } from '../../../api/types';
import { useNow } from '../../../parts/RelativeTime';
import styles from '../Calendar.module.css';
import { type Box, boxesOf, rowOfDevice } from '../lib/boxes';
import { sameOnes } from '../lib/form';
import { devicesOf, type Row } from '../lib/rows';
import { percentOf, type Span } from '../lib/span';
import { spanName } from '../lib/words';
import { Axis } from './Axis';
import { Bands, Boxes, Lines, Shades } from './layers';
import { type Area, type Change, ROW, type Selection, styleOf } from './place';
import { SideRows } from './SideRows';
import { useDrag } from './useDrag';
import { useKeys } from './useKeys';

const MINUTE = 60_000;
const ALL_ROWS = 100;
const AHEAD = 20;

interface Props {
  rows: readonly Row[];
  reservations: readonly Reservation[];
  span: Span;
  /** Hours that are not mine to reserve. */
  shades: readonly Area[];
  /** What was changed, until the server has answered. */
  pending: Change | null;
  /** Who looks: own reservations look different. */
  name: string;
  changeable: (reservation: Reservation, now: number) => 'all' | 'end' | 'nothing';
  canReserve: boolean;
  onFold: (key: string) => void;
  onSelect: (selection: Selection) => void;
  onChange: (change: Change) => void;
  onOpen: (reservation: Reservation) => void;
  onTurn: (by: 1 | -1) => void;
}

/** GPUs at the left, time to the right. */
export function Timeline(props: Props) {
  const { rows, reservations, span, shades, pending, name, changeable, canReserve, onFold, onOpen, onTurn } = props;
  const now = Math.floor(useNow() / MINUTE) * MINUTE; // draws anew once per minute
  const help = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const lanes = useRef<HTMLDivElement>(null);
  const [sight, onScroll] = useSight(rows.length);
  const rowOf = useMemo(() => rowOfDevice(rows), [rows]);
  const boxes = useMemo(() => {
    const inTime = (box: Box) => box.from < span.until && box.until > span.from;
    return boxesOf(reservations, rowOf).filter(inTime);
  }, [reservations, rowOf, span]);
  const may = useCallback((box: Box) => changeable(box.reservation, now), [changeable, now]);

  const onSelect = (selection: Selection) => canReserve && selection.devices.length && props.onSelect(selection);
  const onChange = (change: Change) => isChanged(change) && props.onChange(change);
  const onReveal = (row: number) => reveal(scroller.current, row);
  const open = (box: Box) => onOpen(box.reservation);
  const shared = { span, rows, rowOf, boxes, now, changeable: may, onSelect, onChange, onOpen: open };
  const keys = useKeys({ ...shared, onTurn, onReveal });
  const { drag, handlers } = useDrag({ ...shared, canReserve, lanes, scroller, onPoint: keys.point });
  const change = drag?.kind === 'change' ? drag.change : (keys.held ?? pending);
  const chosen = drag?.kind === 'select' ? drag.area : null;

  return (
    <section className={`app-panel ${styles.frame}`} aria-label="Timeline">
      <div
        ref={scroller}
        className={styles.scroller}
        role="application"
        aria-label="GPUs and hours"
        aria-describedby={help}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes keys, and scrolls
        tabIndex={0}
        onKeyDown={keys.onKeyDown}
        onScroll={onScroll}
      >
        <Axis span={span} now={now} />
        <div className={styles.body} style={{ height: rows.length * ROW }}>
          <SideRows rows={rows} sight={sight} onFold={onFold} />
          {/* biome-ignore lint/a11y/noStaticElementInteractions: keys are those of the element around it */}
          <div
            ref={lanes}
            className={styles.lanes}
            data-testid="lanes"
            {...handlers}
            onDoubleClick={() => reserveCell(keys.area, rows, now, onSelect)}
          >
            <Bands rows={rows} sight={sight} reservations={reservations} span={span} />
            <Lines span={span} />
            <Shades shades={shades} span={span} />
            {now > span.from && (
              <div className={styles.past} style={{ width: `${Math.min(percentOf(span, now), 100)}%` }} />
            )}
            <Boxes
              boxes={boxes}
              sight={sight}
              span={span}
              now={now}
              name={name}
              changeable={may}
              chosen={change?.reservation.id}
              onOpen={onOpen}
            />
            {now >= span.from && now < span.until && (
              <div className={styles.now} style={{ left: `${percentOf(span, now)}%` }} />
            )}
            {keys.area && !drag && (
              <div className={styles.cursor} style={styleOf(span, keys.area)} data-testid="cursor" />
            )}
            {chosen && <Ghost area={chosen} span={span} />}
            {change &&
              boxesOf([changed(change)], rowOf).map((area) => <Ghost key={area.key} area={area} span={span} />)}
          </div>
        </div>
      </div>
      <VisuallyHidden role="status">{keys.said}</VisuallyHidden>
      <VisuallyHidden id={help}>
        Arrows move a cell, with Shift they select several GPUs and hours. Enter reserves them, or opens the reservation
        that is there. M moves a reservation of yours. Page up and Page down show earlier and later days.
      </VisuallyHidden>
    </section>
  );
}

function Ghost({ area, span }: { area: Area; span: Span }) {
  return (
    <div className={styles.ghost} style={styleOf(span, area)} data-testid="ghost">
      {spanName(area.from, area.until, span.zone)}
    </div>
  );
}

function changed({ reservation, devices, from, until }: Change): Reservation {
  return { ...reservation, devices, starts_at: new Date(from).toISOString(), ends_at: new Date(until).toISOString() };
}

function isChanged({ reservation, devices, from, until }: Change): boolean {
  const { starts_at, ends_at, devices: before } = reservation;
  return from !== Date.parse(starts_at) || until !== Date.parse(ends_at) || !sameOnes(devices, before);
}

function reserveCell(
  area: Area | null,
  rows: readonly Row[],
  now: number,
  onSelect: (selection: Selection) => void,
): void {
  if (!area || area.until <= now) return;
  onSelect({ devices: devicesOf(rows, area.row, area.row), from: Math.max(area.from, now), until: area.until });
}

function reveal(scroller: HTMLElement | null, row: number): void {
  if (!scroller) return;
  const [top, height] = [row * ROW, scroller.clientHeight - 42];
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (top + ROW > scroller.scrollTop + height) scroller.scrollTop = top + ROW - height;
}

/** The rows to draw: all, or of many those in sight and some more. */
function useSight(count: number) {
  const [from, setFrom] = useState(0);
  const onScroll = useCallback((event: UIEvent<HTMLElement>) => {
    setFrom(Math.floor(event.currentTarget.scrollTop / ROW / AHEAD) * AHEAD); // a new range every 20 rows
  }, []);
  const sight = useMemo(
    () => (count <= ALL_ROWS ? { first: 0, last: count } : { first: from - AHEAD, last: from + AHEAD * 4 }),
    [count, from],
  );
  return [sight, onScroll] as const;
}
