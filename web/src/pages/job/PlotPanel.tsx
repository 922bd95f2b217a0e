import { ActionIcon, Tooltip } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { type Cell, save, saveCsv } from '../../lib/download';
import type { Highlight } from '../../lib/highlight';
import { IconDownload, IconTable } from '../../parts/icons';
import styles from './Job.module.css';
import type { CanvasPlot } from './plots/CanvasPlot';

interface Props<State> {
  title: string;
  fileTitle: string;
  plot: new (root: HTMLElement, highlight: Highlight, tipClass: string) => CanvasPlot<State>;
  state: State;
  dark: boolean;
  highlight: Highlight;
  onPick: (task: string) => void;
  rows: () => Cell[][];
  summary: string;
  /** Said in place of the graph. */
  empty?: string | null;
  tools?: ReactNode;
  aside?: ReactNode;
  /** Under the graph: what its marks mean. */
  foot?: ReactNode;
  height?: number;
  minWidth?: number;
}

/** A graph drawn on canvas, with its controls and downloads. */
export function PlotPanel<State>(props: Props<State>) {
  const { title, fileTitle, plot: Plot, state, dark, highlight, onPick, empty, height = 420, minWidth = 0 } = props;
  const root = useRef<HTMLDivElement>(null);
  const plot = useRef<CanvasPlot<State> | null>(null);
  useEffect(() => {
    const made = new Plot(root.current as HTMLDivElement, highlight, styles.tip ?? '');
    plot.current = made;
    return () => {
      made.destroy();
      plot.current = null;
    };
  }, [Plot, highlight]);
  useEffect(() => {
    if (plot.current) plot.current.onPick = onPick;
  }, [onPick]);
  useEffect(() => plot.current?.update(state), [state]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are read from the page
  useEffect(() => plot.current?.recolor(), [dark]);
  const picture = async () => {
    const blob = await plot.current?.picture(fileTitle);
    if (blob) save(blob, `${fileTitle}.png`);
  };
  return (
    <section className="app-panel" aria-label={title}>
      <div className={styles.plotHead}>
        <h2 className={styles.plotTitle}>{title}</h2>
        <div className={styles.plotTools}>
          {props.tools}
          <span>
            <Tooltip label="Download the graph as PNG">
              <ActionIcon aria-label="Download PNG" onClick={picture} disabled={Boolean(empty)}>
                <IconDownload />
              </ActionIcon>
            </Tooltip>
            <Tooltip label="Download the points as CSV">
              <ActionIcon
                aria-label="Download CSV"
                onClick={() => saveCsv(props.rows(), `${fileTitle}.csv`)}
                disabled={Boolean(empty)}
              >
                <IconTable />
              </ActionIcon>
            </Tooltip>
          </span>
        </div>
      </div>
      <div className={styles.plotBody}>
        {props.aside}
        <section className={styles.plotScroll} tabIndex={minWidth ? 0 : undefined} aria-label={`${title}: graph`}>
          <div
            ref={root}
            className={styles.plot}
            style={{ height, minWidth, visibility: empty ? 'hidden' : undefined }}
            role="img"
            aria-label={props.summary}
          />
        </section>
        {empty && <div className={styles.plotEmpty}>{empty}</div>}
      </div>
      {!empty && props.foot}
    </section>
  );
}
