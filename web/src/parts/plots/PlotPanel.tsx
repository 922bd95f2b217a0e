import { ActionIcon, Tooltip } from '@mantine/core';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { type Cell, save, saveCsv } from '../../lib/download';
import type { Highlight } from '../../lib/highlight';
import { IconDownload, IconTable } from '../icons';
import type { Plot } from './Plot';
import styles from './Plot.module.css';

interface Drawn<State, P extends Plot<State>> {
  plot: new (root: HTMLElement, highlight: Highlight, tipClass: string) => P;
  state: State;
  dark: boolean;
  highlight: Highlight;
  onPick?: ((id: string) => void) | undefined;
}

/** Draw a graph in the element that gets the reference, as long as it is there. */
export function usePlot<State, P extends Plot<State>>(props: Drawn<State, P>, plot: RefObject<P | null>) {
  const { plot: Made, state, dark, highlight, onPick } = props;
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const made = new Made(root.current as HTMLDivElement, highlight, styles.tip ?? '');
    plot.current = made;
    return () => {
      made.destroy();
      plot.current = null;
    };
  }, [Made, highlight, plot]);
  useEffect(() => {
    if (plot.current) plot.current.onPick = onPick ?? (() => {});
  }, [plot, onPick]);
  useEffect(() => plot.current?.update(state), [plot, state]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are read from the page
  useEffect(() => plot.current?.recolor(), [plot, dark]);
  return root;
}

interface Props<State, P extends Plot<State>> extends Drawn<State, P> {
  title: string;
  fileTitle: string;
  /** For what the plot can do besides. */
  plotRef?: RefObject<P | null>;
  rows: () => Cell[][];
  summary: string;
  /** Said in place of the graph. */
  empty?: ReactNode;
  tools?: ReactNode;
  aside?: ReactNode;
  /** Under the graph: what its marks mean. */
  foot?: ReactNode;
  height?: number;
  minWidth?: number;
}

/** A graph drawn on canvas, with its controls and downloads. */
export function PlotPanel<State, P extends Plot<State>>(props: Props<State, P>) {
  const { title, fileTitle, empty, height = 420, minWidth = 0 } = props;
  const own = useRef<P | null>(null);
  const plot = props.plotRef ?? own;
  const root = usePlot(props, plot);
  const Scroll = minWidth ? 'section' : 'div'; // what scrolls must be reachable by keyboard, and have a name
  const picture = async () => {
    const blob = await plot.current?.picture(fileTitle);
    if (blob) save(blob, `${fileTitle}.png`);
  };
  return (
    <section className="app-panel" aria-label={title}>
      <div className={styles.head}>
        <h2 className={`app-panel-title ${styles.title}`}>{title}</h2>
        <div className={styles.tools}>
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
      <div className={styles.body}>
        {props.aside}
        <Scroll className={styles.scroll} {...(minWidth ? { tabIndex: 0, 'aria-label': `${title}: graph` } : {})}>
          <div
            ref={root}
            className={styles.plot}
            style={{ height, minWidth, visibility: empty ? 'hidden' : undefined }}
            role="img"
            aria-label={props.summary}
          />
        </Scroll>
        {empty && <div className={styles.empty}>{empty}</div>}
      </div>
      {!empty && props.foot}
    </section>
  );
}
