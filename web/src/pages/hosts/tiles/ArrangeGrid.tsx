import type { ReactNode } from 'react';
import ReactGridLayout, { type Layout, useContainerWidth } from 'react-grid-layout';
import type { GridConfig } from 'react-grid-layout/core';
import 'react-grid-layout/css/styles.css';
import styles from './Tiles.module.css';
import { COLUMNS, type HostTile, keyOf, LEAST } from './tiles';

/** As in the style sheet. */
const GRID: Partial<GridConfig> = { cols: COLUMNS, rowHeight: 44, margin: [12, 12], containerPadding: [0, 0] };
const DRAG = { handle: '[data-handle]', cancel: '[data-tool]' };

interface Props {
  tiles: readonly HostTile[];
  onChange: (tiles: HostTile[]) => void;
  children: (tile: HostTile) => ReactNode;
}

/** Tiles that the pointer moves and resizes. Loaded when somebody wants to. */
export default function ArrangeGrid({ tiles, onChange, children }: Props) {
  const { width, containerRef, mounted } = useContainerWidth();
  const layout = tiles.map((tile) => {
    const { x, y, w, h } = tile;
    return { i: keyOf(tile), x, y, w, h, minW: LEAST.w, minH: LEAST.h };
  });
  const change = (found: Layout) => {
    const places = new Map(found.map(({ i, x, y, w, h }) => [i, { x, y, w, h }]));
    const next = tiles.map((tile) => ({ ...tile, ...places.get(keyOf(tile)) }));
    if (JSON.stringify(next) !== JSON.stringify(tiles)) onChange(next);
  };
  return (
    <div ref={containerRef} className={styles.arrange}>
      {mounted && (
        <ReactGridLayout width={width} layout={layout} gridConfig={GRID} dragConfig={DRAG} onLayoutChange={change}>
          {tiles.map((tile) => (
            <div key={keyOf(tile)}>{children(tile)}</div>
          ))}
        </ReactGridLayout>
      )}
    </div>
  );
}
