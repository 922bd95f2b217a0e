import { Button, Group } from '@mantine/core';
import { type KeyboardEvent, type PointerEvent, useId, useRef, useState } from 'react';
import styles from './Rules.module.css';
import { CELLS, clock, DAYS, NOTHING, PER_DAY, painted } from './week';

interface Props {
  cells: readonly boolean[];
  onChange: (cells: boolean[]) => void;
}

const rectangle = (days: [number, number], halves: [number, number]) =>
  painted(NOTHING, days[0] * PER_DAY + halves[0], days[1] * PER_DAY + halves[1], true);

const READY: [string, readonly boolean[]][] = [
  ['Working hours', rectangle([0, 4], [16, 35])],
  ['Nights', painted(rectangle([0, 6], [0, 11]), 40, CELLS - 1, true)],
  ['Weekend', rectangle([5, 6], [0, 47])],
  ['None', NOTHING],
];

interface Stroke {
  from: number;
  to: number;
  value: boolean;
}

/** A week to paint: drag over days and hours, or use arrow keys, space, and shift with the arrows. */
export function WeekGrid({ cells, onChange }: Props) {
  const [stroke, setStroke] = useState<Stroke | null>(null);
  const [at, setAt] = useState(16);
  const grid = useRef<HTMLTableElement>(null);
  const id = useId();
  const shown = stroke ? painted(cells, stroke.from, stroke.to, stroke.value) : cells;

  const under = (event: PointerEvent): number | null => {
    const found = document.elementFromPoint(event.clientX, event.clientY)?.getAttribute('data-cell');
    return found == null ? null : Number(found);
  };
  const begin = (event: PointerEvent) => {
    const cell = under(event);
    if (cell === null || event.button !== 0) return;
    event.preventDefault(); // the grid has the focus, never a cell
    grid.current?.focus();
    grid.current?.setPointerCapture(event.pointerId);
    setStroke({ from: cell, to: cell, value: !cells[cell] });
  };
  const move = (event: PointerEvent) => {
    const cell = stroke && under(event);
    if (stroke && cell !== null && cell !== stroke.to) setStroke({ ...stroke, to: cell });
  };
  const end = () => {
    if (stroke) {
      onChange([...shown]);
      setAt(stroke.to);
    }
    setStroke(null);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: PER_DAY, ArrowUp: -PER_DAY }[event.key];
    if (step !== undefined) {
      const next = (at + step + CELLS) % CELLS;
      if (event.shiftKey) onChange(painted(cells, at, next, cells[at] ?? false));
      setAt(next);
    } else if (event.key === ' ') onChange(painted(cells, at, at, !cells[at]));
    else return;
    event.preventDefault();
  };

  return (
    <>
      <div className={styles.hours} aria-hidden="true">
        {[0, 6, 12, 18, 24].map((hour) => (
          <span key={hour}>{hour}</span>
        ))}
      </div>
      <table
        ref={grid}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: it has the focus, and names the cell of the keys
        role="grid"
        tabIndex={0}
        aria-label="Hours of the week. Arrow keys move, space sets an hour, shift with an arrow key paints."
        aria-activedescendant={`${id}-${at}`}
        className={styles.grid}
        onPointerDown={begin}
        onPointerMove={move}
        onPointerUp={end}
        onPointerCancel={() => setStroke(null)}
        onKeyDown={press}
      >
        <tbody>
          {DAYS.map((name, day) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {Array.from({ length: PER_DAY }, (_, half) => {
                const cell = day * PER_DAY + half;
                return (
                  <td
                    key={cell}
                    id={`${id}-${cell}`}
                    // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell of a grid
                    role="gridcell"
                    tabIndex={-1}
                    aria-selected={shown[cell] ?? false}
                    aria-label={`${name} ${clock(cell)}`}
                    data-cell={cell}
                    data-at={cell === at || undefined}
                  />
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <Group gap={6} mt={8}>
        {READY.map(([name, wanted]) => (
          <Button key={name} size="compact-xs" variant="default" onClick={() => onChange([...wanted])}>
            {name}
          </Button>
        ))}
      </Group>
    </>
  );
}
