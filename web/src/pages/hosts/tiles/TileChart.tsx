import { useComputedColorScheme } from '@mantine/core';
import { useMemo, useRef } from 'react';
import 'uplot/dist/uPlot.min.css';
import { useLoadHistory } from '../../../api/load';
import type { Node } from '../../../api/types';
import { seriesColor } from '../../../lib/colors';
import { plural } from '../../../lib/format';
import { useHighlight } from '../../../lib/highlight';
import { CurvePlot, PLAIN, type Range } from '../../../parts/plots/CurvePlot';
import { usePlot } from '../../../parts/plots/PlotPanel';
import { curves, heightOf, UNITS } from './figures';
import styles from './Tiles.module.css';
import { type HostTile, NAMES, subjectText } from './tiles';

interface Props {
  tile: HostTile;
  node: Node;
  minutes: number;
}

/** How it was, with a curve for each GPU. The legend is beside the pointer. */
export function TileChart({ tile, node, minutes }: Props) {
  const dark = useComputedColorScheme('light') === 'dark';
  const highlight = useHighlight();
  const plot = useRef<CurvePlot>(null);
  const { data, error, dataUpdatedAt } = useLoadHistory(node.backend, node.name, minutes);
  const series = useMemo(() => curves(tile, data ?? [], (index) => seriesColor(index, dark)), [tile, data, dark]);
  const state = useMemo(() => {
    const now = (dataUpdatedAt || Date.now()) / 1000;
    const across: Range = [now - minutes * 60, now];
    return { ...PLAIN, series, clock: true, across, up: heightOf(tile, node, series) };
  }, [series, dataUpdatedAt, minutes, tile, node]);
  const root = usePlot({ plot: CurvePlot, state, dark, highlight }, plot);
  const empty = series.length === 0;
  const unit = UNITS[tile.kind] && ` (${UNITS[tile.kind]})`;
  const title = `${NAMES[tile.kind]}${unit} of ${subjectText(tile)}`;
  return (
    <div className={styles.chart}>
      <div
        ref={root}
        className={styles.plot}
        style={{ visibility: empty ? 'hidden' : undefined }}
        role="img"
        aria-label={`${title}: ${empty ? 'no points yet' : plural(series.length, 'curve')}`}
      />
      {empty && (
        <div className={styles.empty}>{data ? 'Not measured yet' : error ? 'It cannot be loaded' : 'Loading'}</div>
      )}
    </div>
  );
}
