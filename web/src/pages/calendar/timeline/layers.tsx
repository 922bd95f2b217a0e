/** What lies on the lanes, from the ground up. Drawn anew only when it changes, not while something is dragged. */

import { type CSSProperties, memo, useMemo } from 'react';
import type { Reservation } from '../../../api/types';
import { hueOf } from '../../../lib/people';
import styles from '../Calendar.module.css';
import { type Box, stretchesOf } from '../lib/boxes';
import type { Row } from '../lib/rows';
import { percentOf, type Span, ticksOf } from '../lib/span';
import { boxName, spanName } from '../lib/words';
import { type Area, ROW, styleOf } from './place';

/** Rows that are drawn. */
export interface Sight {
  first: number;
  last: number;
}

interface BandsProps {
  rows: readonly Row[];
  sight: Sight;
  reservations: readonly Reservation[];
  span: Span;
}

/** The lanes of hosts; of one that is folded, how much of it is reserved. */
export const Bands = memo(function Bands({ rows, sight, reservations, span }: BandsProps) {
  return rows.map((row, index) => {
    if (row.kind !== 'group' || index < sight.first || index > sight.last) return null;
    return (
      <div key={row.group.key} className={styles.band} style={{ top: index * ROW }}>
        {row.folded &&
          stretchesOf(row.group, reservations).map(({ from, until, share }) => {
            if (until <= span.from || from >= span.until) return null;
            const { left, width } = styleOf(span, { row: 0, rows: 1, from, until });
            const style = { left, width, bottom: 0, height: `${share * 100}%` };
            return <div key={from} className={styles.stretch} style={style} />;
          })}
      </div>
    );
  });
});

export const Lines = memo(function Lines({ span }: { span: Span }) {
  const ticks = useMemo(() => ticksOf(span), [span]);
  return (
    <>
      {ticks.map(({ at }) => (
        <div key={at} className={styles.line} style={{ left: `${percentOf(span, at)}%` }} />
      ))}
      {span.days.slice(0, -1).map((day) => (
        <div key={day} className={styles.line} style={{ left: `${percentOf(span, day)}%` }} data-day />
      ))}
    </>
  );
});

export const Shades = memo(function Shades({ shades, span }: { shades: readonly Area[]; span: Span }) {
  return shades.map((area) => (
    <div key={`${area.row} ${area.from}`} className={styles.shade} style={styleOf(span, area)} data-testid="shade" />
  ));
});

interface BoxesProps {
  boxes: readonly Box[];
  sight: Sight;
  span: Span;
  now: number;
  name: string;
  changeable: (box: Box) => 'all' | 'end' | 'nothing';
  /** The one that is being changed. */
  chosen: string | undefined;
  onOpen: (reservation: Reservation) => void;
}

export const Boxes = memo(function Boxes({ boxes, sight, changeable, chosen, ...shared }: BoxesProps) {
  return boxes.map((box) => {
    if (box.row > sight.last || box.row + box.rows <= sight.first) return null;
    const isChosen = box.reservation.id === chosen;
    return <OneBox key={box.key} box={box} may={changeable(box)} chosen={isChosen} {...shared} />;
  });
});

interface OneProps extends Pick<BoxesProps, 'span' | 'now' | 'name' | 'onOpen'> {
  box: Box;
  may: 'all' | 'end' | 'nothing';
  chosen: boolean;
}

/** Not a stop of the Tab key: there may be hundreds. The arrows of the timeline reach it. */
function OneBox({ box, span, now, name, may, chosen, onOpen }: OneProps) {
  const { reservation, from, until } = box;
  const { owner, kind, guests = [], enforced, enforced_why: why, outside_since: outside } = reservation;
  const style = { ...styleOf(span, box), '--hue': hueOf(owner ?? '') } as CSSProperties;
  const warning = outside ? 'a rule no longer allows it' : enforced === 'no' ? `not enforced: ${why ?? ''}` : '';
  const title = [boxName(reservation), spanName(from, until, span.zone), warning].filter(Boolean).join('\n');
  return (
    <button
      type="button"
      tabIndex={-1}
      className={styles.box}
      style={style}
      title={title}
      data-box={box.key}
      data-own={(owner === name && kind !== 'maintenance') || undefined}
      data-guest={guests.includes(name) || undefined}
      data-maintenance={kind === 'maintenance' || undefined}
      data-past={until <= now || undefined}
      data-warned={(warning !== '' && until > now) || undefined}
      data-chosen={chosen || undefined}
      data-editable={may === 'all' || undefined}
      onClick={(event) => event.detail === 0 && onOpen(reservation)}
    >
      {may === 'all' && from >= span.from && <span className={styles.edge} data-edge="start" />}
      {boxName(reservation)}
      {may !== 'nothing' && until <= span.until && <span className={styles.edge} data-edge="end" />}
    </button>
  );
}
