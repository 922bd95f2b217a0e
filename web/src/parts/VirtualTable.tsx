import { Checkbox } from '@mantine/core';
import {
  columnResizingFeature,
  columnSizingFeature,
  createSortedRowModel,
  rowSelectionFeature,
  rowSortingFeature,
  type Row as TableRow,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, memo, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { type Highlight, useIsHighlighted } from '../lib/highlight';
import { IconChevronDown, IconChevronUp } from './icons';
import styles from './VirtualTable.module.css';

export interface Column<T> {
  id: string;
  header: string;
  /** What the cell shows; rendered anew only when the row is another object. */
  cell: (row: T) => ReactNode;
  /** What is sorted by; null always comes last. No sorting when not given. */
  sortBy?: (row: T) => number | string | boolean | null | undefined;
  width?: number;
  align?: 'start' | 'end';
  /** The first click sorts the largest first. */
  descFirst?: boolean;
  title?: string;
}

/** `best` or `-best`: the column, and whether the largest comes first; '' is the order of the rows. */
export type Sort = string;

interface Props<T> {
  rows: readonly T[];
  /** They are in the order of `sort` already. */
  ordered?: boolean;
  /** The rows in sight, and some beside them; the same list as long as they are the same rows. */
  onInSight?: (rows: T[]) => void;
  /** Keep it the same (useMemo), or every cell is rendered anew. */
  columns: readonly Column<T>[];
  rowId: (row: T) => string;
  label: string;
  height?: number | string;
  rowHeight?: number;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  /** Ids of the rows that are chosen; checkboxes show when it is given. Shift chooses ranges. */
  selected?: ReadonlySet<string>;
  onSelected?: (ids: Set<string>) => void;
  highlight?: Highlight;
  /** A click on a row, or Enter. */
  onOpen?: (row: T) => void;
  empty?: ReactNode;
}

const CHECK_WIDTH = 40;
const features = tableFeatures({
  rowSortingFeature,
  rowSelectionFeature,
  columnSizingFeature,
  columnResizingFeature,
  sortedRowModel: createSortedRowModel(),
});
type Features = typeof features;

/** A long table of which only what is in sight is rendered. The order holds still while the pointer is on it. */
export function VirtualTable<T extends object>(props: Props<T>) {
  const { rows, columns, rowId, label, height = 480, rowHeight = 38, highlight, onOpen, selected, onSelected } = props;
  const { ordered = false, onInSight } = props;
  const [ownSort, setOwnSort] = useState<Sort>('');
  const sort = props.sort ?? ownSort;
  const onSort = props.onSort ?? setOwnSort;
  const table = useTable({
    features,
    data: rows as T[],
    columns: useMemo(() => columns.map(definition), [columns]),
    getRowId: rowId,
    columnResizeMode: 'onChange',
    enableSortingRemoval: true,
    manualSorting: ordered,
    state: {
      sorting: useMemo(() => parseSort(sort), [sort]),
      rowSelection: useMemo(
        () => Object.fromEntries([...(selected ?? [])].map((id) => [id, true as const])),
        [selected],
      ),
    },
    onSortingChange: (update) => {
      const [first] = typeof update === 'function' ? update(parseSort(sort)) : update;
      onSort(first ? `${first.desc ? '-' : ''}${first.id}` : '');
    },
    onRowSelectionChange: (update) => {
      const known = Object.fromEntries([...(selected ?? [])].map((id) => [id, true as const]));
      const next = typeof update === 'function' ? update(known) : update;
      onSelected?.(new Set(Object.keys(next).filter((id) => next[id])));
    },
  });
  const [held, setHeld] = useState<string[] | null>(null);
  const sorted = table.getRowModel().rows;
  const shown = useMemo(() => (held ? inOrder(sorted, held) : sorted), [sorted, held]);

  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => shown[index]?.id ?? index,
    overscan: 12,
  });
  const [active, setActive] = useState<string | null>(null);
  const items = virtual.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  const [first = 0, last = -1] = [items[0]?.index, items.at(-1)?.index];
  const sight = shown
    .slice(first, last + 1)
    .map(({ id }) => id)
    .join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: when other rows are in sight
  useEffect(() => {
    onInSight?.(shown.slice(first, last + 1).map(({ original }) => original));
  }, [sight, onInSight]);

  const move = (index: number) => {
    const row = shown[Math.min(Math.max(index, 0), shown.length - 1)];
    if (!row) return;
    setActive(row.id);
    virtual.scrollToIndex(shown.indexOf(row));
    highlight?.set(row.id);
    requestAnimationFrame(() =>
      scroll.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(row.id)}"]`)?.focus(),
    );
  };
  const onKey = (event: KeyboardEvent, row: TableRow<Features, T>) => {
    if (event.target !== event.currentTarget) return;
    const index = shown.indexOf(row);
    const page = Math.max(Math.floor((scroll.current?.clientHeight ?? 400) / rowHeight) - 2, 1);
    const to = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      PageDown: index + page,
      PageUp: index - page,
      Home: 0,
      End: Infinity,
    };
    if (event.key in to) move(to[event.key as keyof typeof to]);
    else if (event.key === 'Enter') onOpen?.(row.original);
    else if (event.key === ' ' && selected) row.toggleSelected();
    else return;
    event.preventDefault();
  };
  const width = columns.reduce(
    (sum, { id }) => sum + (table.getColumn(id)?.getSize() ?? 0),
    selected ? CHECK_WIDTH : 0,
  );
  const focusable = shown.some(({ id }) => id === active) ? active : shown[items[0]?.index ?? 0]?.id;

  return (
    <div
      ref={scroll}
      className={styles.scroll}
      style={{ maxHeight: height }}
      onPointerEnter={() => setHeld(sorted.map(({ id }) => id))}
      onPointerLeave={() => {
        setHeld(null);
        highlight?.set(null);
      }}
    >
      <table className={styles.table} style={{ minWidth: width }} aria-label={label} aria-rowcount={shown.length + 1}>
        <thead>
          <tr>
            {selected && (
              <th style={{ width: CHECK_WIDTH }}>
                <div className={styles.head}>
                  <Checkbox
                    size="xs"
                    aria-label="Select all"
                    checked={table.getIsAllRowsSelected()}
                    indeterminate={table.getIsSomeRowsSelected()}
                    onChange={(event) => table.toggleAllRowsSelected(event.currentTarget.checked)}
                  />
                </div>
              </th>
            )}
            {table.getHeaderGroups()[0]?.headers.map((header, i) => (
              <Head
                key={header.id}
                column={columns[i] as Column<T>}
                width={header.column.getSize()}
                order={header.column.getIsSorted()}
                onSort={() => {
                  setHeld(null);
                  header.column.toggleSorting();
                }}
                onResize={header.getResizeHandler()}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {above > 0 && <tr style={{ height: above }} />}
          {items.map(({ index }) => {
            const row = shown[index];
            if (!row) return null;
            return (
              <Row
                key={row.id}
                row={row}
                index={index}
                height={rowHeight}
                columns={columns}
                checkable={selected !== undefined}
                selected={selected?.has(row.id) ?? false}
                focusable={row.id === focusable}
                highlight={highlight}
                onKey={onKey}
                onOpen={onOpen}
              />
            );
          })}
          {below > 0 && <tr style={{ height: below }} />}
        </tbody>
      </table>
      {rows.length === 0 && props.empty}
    </div>
  );
}

function definition<T extends object>(column: Column<T>) {
  return {
    id: column.id,
    accessorFn: (row: T) => column.sortBy?.(row) ?? undefined,
    enableSorting: column.sortBy !== undefined,
    sortUndefined: 'last' as const,
    sortDescFirst: column.descFirst ?? false,
    sortFn: compare,
    size: column.width ?? 120,
    minSize: 48,
  };
}

function compare(
  a: { getValue: (id: string) => unknown },
  b: { getValue: (id: string) => unknown },
  id: string,
): number {
  const [x, y] = [a.getValue(id), b.getValue(id)];
  if (typeof x === 'number' && typeof y === 'number') return x - y;
  return String(x).localeCompare(String(y), undefined, { numeric: true });
}

function parseSort(sort: Sort): { id: string; desc: boolean }[] {
  return sort === '' ? [] : [{ id: sort.replace(/^-/, ''), desc: sort.startsWith('-') }];
}

function inOrder<R extends { id: string }>(rows: readonly R[], order: readonly string[]): R[] {
  const places = new Map(order.map((id, place) => [id, place]));
  return [...rows].sort((a, b) => (places.get(a.id) ?? Infinity) - (places.get(b.id) ?? Infinity));
}

interface HeadProps<T> {
  column: Column<T>;
  width: number;
  order: false | 'asc' | 'desc';
  onSort: () => void;
  onResize: (event: unknown) => void;
}

function Head<T>({ column, width, order, onSort, onResize }: HeadProps<T>) {
  const sorted = order === false ? undefined : order === 'asc' ? 'ascending' : 'descending';
  const name = <span className={styles.name}>{column.header}</span>;
  return (
    <th style={{ width }} className={column.align === 'end' ? styles.end : ''} aria-sort={sorted} title={column.title}>
      {column.sortBy ? (
        <button type="button" className={`${styles.head} ${order ? styles.sorted : ''}`} onClick={onSort}>
          {name}
          {order === 'asc' && <IconChevronUp size={13} />}
          {order === 'desc' && <IconChevronDown size={13} />}
        </button>
      ) : (
        <div className={styles.head}>{name}</div>
      )}
      <div className={styles.handle} aria-hidden="true" onMouseDown={onResize} onTouchStart={onResize} />
    </th>
  );
}

interface RowProps<T extends object> {
  row: TableRow<Features, T>;
  index: number;
  height: number;
  columns: readonly Column<T>[];
  checkable: boolean;
  selected: boolean;
  focusable: boolean;
  highlight: Highlight | undefined;
  onKey: (event: KeyboardEvent, row: TableRow<Features, T>) => void;
  onOpen: ((row: T) => void) | undefined;
}

function Row<T extends object>(props: RowProps<T>) {
  const { row, index, height, columns, checkable, selected, focusable, highlight, onKey, onOpen } = props;
  const highlighted = useIsHighlighted(highlight, row.id);
  const latest = useRef(row);
  latest.current = row;
  // Kept while data streams in: a box costs more than the rest of the row.
  const check = useMemo(
    () => (
      <Checkbox
        size="xs"
        aria-label={`Select row ${index + 1}`}
        checked={selected}
        onChange={(event) => latest.current.getToggleSelectedHandler()(event)}
      />
    ),
    [index, selected],
  );
  return (
    <tr
      className={`${styles.row} ${highlighted ? styles.highlighted : ''} ${onOpen ? styles.clickable : ''}`}
      style={{ height }}
      data-id={row.id}
      aria-rowindex={index + 2}
      aria-selected={checkable ? selected : undefined}
      tabIndex={focusable ? 0 : -1}
      onKeyDown={(event) => onKey(event, row)}
      onPointerEnter={() => highlight?.set(row.id)}
      onClick={(event) => {
        // Links, buttons and boxes in a row have their own meaning.
        if (!(event.target as HTMLElement).closest('a, button, input, label')) onOpen?.(row.original);
      }}
    >
      {checkable && <td>{check}</td>}
      <Cells row={row.original} columns={columns} />
    </tr>
  );
}

function PlainCells<T>({ row, columns }: { row: T; columns: readonly Column<T>[] }): ReactNode {
  return columns.map((column) => (
    <td key={column.id} className={column.align === 'end' ? styles.end : ''}>
      {column.cell(row)}
    </td>
  ));
}

const Cells = memo(PlainCells) as typeof PlainCells;
