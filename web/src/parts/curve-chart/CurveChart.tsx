import { ActionIcon, Button, Slider, Switch, Tooltip, useComputedColorScheme } from '@mantine/core';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import 'uplot/dist/uPlot.min.css';
import { save, saveCsv } from '../../lib/download';
import { plural } from '../../lib/format';
import { type Highlight, useHighlight } from '../../lib/highlight';
import { IconDownload, IconTable, IconZoomOut } from '../icons';
import styles from './CurveChart.module.css';
import { type Best, type ChartSeries, type ChartSettings, Plot, type Range } from './Plot';

export type { Best, ChartSeries, ChartSettings, Range };

export const DEFAULT_SETTINGS: ChartSettings = { log: false, smoothing: 0, clip: true };
const LEGEND_MOST = 10;

interface Props {
  title: string;
  /** Of the files that are downloaded; the title when not given. */
  fileTitle?: string;
  series: readonly ChartSeries[];
  /** Shared with a table or another view: what is under the pointer in one is highlighted in all. */
  highlight?: Highlight;
  best?: Best | null;
  /** What the x axis counts. */
  stepName?: string;
  /** Steps are seconds since 1970, shown as the time of day. */
  clock?: boolean;
  /** What the axes span; as far as the curves go when not given. Give ranges that stay the same objects. */
  across?: Range | undefined;
  up?: Range | undefined;
  height?: number;
  /** Kept by the page (in the URL, say); the chart keeps them itself when not given. */
  settings?: ChartSettings;
  onSettings?: (settings: ChartSettings) => void;
  /** A click on a curve. */
  onPick?: (id: string) => void;
  /** More controls, before the others: a choice of metric. */
  tools?: ReactNode;
  /** Without smoothing, log scale and clipping. */
  plain?: boolean;
  empty?: ReactNode;
}

/** Many curves in one graph. Give `series` objects that stay the same while their curve does. */
export function CurveChart(props: Props) {
  const { title, fileTitle = title, series, best = null, stepName = 'epoch', height = 320, onPick } = props;
  const { clock = false, across, up } = props;
  const own = useHighlight();
  const highlight = props.highlight ?? own;
  const [kept, keep] = useState(DEFAULT_SETTINGS);
  const settings = props.settings ?? kept;
  const change = (some: Partial<ChartSettings>) => (props.onSettings ?? keep)({ ...settings, ...some });
  const [zoomed, setZoomed] = useState(false);
  const { root, plot } = usePlot(highlight, height);
  const scheme = useComputedColorScheme('light');

  useEffect(() => {
    plot.current?.update({ ...settings, series, best, stepName, clock, across, up });
  }, [plot, settings, series, best, stepName, clock, across, up]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are read from the page
  useEffect(() => plot.current?.recolor(), [plot, scheme]);
  useEffect(() => {
    if (!plot.current) return;
    plot.current.onZoom = setZoomed;
    plot.current.onPick = onPick ?? (() => {});
  }, [plot, onPick]);

  const empty = useMemo(() => series.every(({ steps }) => steps.length === 0), [series]);
  const picture = async () => {
    const blob = await plot.current?.picture(fileTitle);
    if (blob) save(blob, `${fileTitle}.png`);
  };
  return (
    <section className="app-panel" aria-label={title}>
      <div className={styles.head}>
        <h2 className={styles.title}>{title}</h2>
        <div className={styles.tools}>
          {props.tools}
          {!props.plain && <HowDrawn settings={settings} change={change} />}
          {zoomed && (
            <Button
              size="compact-xs"
              variant="default"
              leftSection={<IconZoomOut size={14} />}
              onClick={() => plot.current?.resetZoom()}
            >
              Reset zoom
            </Button>
          )}
          <span>
            <Tooltip label="Download the graph as PNG">
              <ActionIcon aria-label="Download PNG" onClick={picture} disabled={empty}>
                <IconDownload />
              </ActionIcon>
            </Tooltip>
            <Tooltip label="Download the points as CSV">
              <ActionIcon
                aria-label="Download CSV"
                onClick={() => saveCsv(rows(series), `${fileTitle}.csv`)}
                disabled={empty}
              >
                <IconTable />
              </ActionIcon>
            </Tooltip>
          </span>
        </div>
      </div>
      <div style={{ position: 'relative' }}>
        <div
          ref={root}
          className={styles.plot}
          style={{ height }}
          role="img"
          aria-label={summary(title, series, empty)}
        />
        {empty && (
          <div className={styles.empty} style={{ position: 'absolute', inset: 0 }}>
            {props.empty ?? 'No points yet'}
          </div>
        )}
      </div>
      {series.length > 1 && series.length <= LEGEND_MOST && <Legend series={series} highlight={highlight} />}
    </section>
  );
}

function HowDrawn(props: { settings: ChartSettings; change: (some: Partial<ChartSettings>) => void }) {
  const { settings, change } = props;
  return (
    <>
      <div className={styles.smoothing}>
        Smoothing
        <Slider
          size="sm"
          min={0}
          max={0.99}
          step={0.01}
          value={settings.smoothing}
          onChange={(smoothing) => change({ smoothing })}
          label={(value) => value.toFixed(2)}
          thumbLabel="Smoothing"
        />
      </div>
      <Switch size="xs" label="Log" checked={settings.log} onChange={(e) => change({ log: e.currentTarget.checked })} />
      <Tooltip label="Values far away from all others do not stretch the axis">
        <div>
          <Switch
            size="xs"
            label="Clip outliers"
            checked={settings.clip}
            onChange={(e) => change({ clip: e.currentTarget.checked })}
          />
        </div>
      </Tooltip>
    </>
  );
}

/** The plot lives as long as its element; its size follows the element's. */
function usePlot(highlight: Highlight, height: number) {
  const root = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | null>(null);
  const first = useRef(height);
  useEffect(() => {
    const element = root.current as HTMLDivElement;
    const made = new Plot(element, highlight, styles.tip ?? '', {
      width: Math.max(element.clientWidth, 100),
      height: first.current,
    });
    plot.current = made;
    const observer = new ResizeObserver(() => made.resize(Math.max(element.clientWidth, 100), element.clientHeight));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [highlight]);
  return { root, plot };
}

function Legend({ series, highlight }: { series: readonly ChartSeries[]; highlight: Highlight }) {
  return (
    <ul className={styles.legend}>
      {series.map(({ id, label, color, dashed }) => (
        <li key={id} onPointerEnter={() => highlight.set(id)} onPointerLeave={() => highlight.set(null)}>
          <span className={styles.swatch} style={{ borderColor: color, borderTopStyle: dashed ? 'dashed' : 'solid' }} />
          {label}
        </li>
      ))}
    </ul>
  );
}

function summary(title: string, series: readonly ChartSeries[], empty: boolean): string {
  return empty ? `${title}: no points yet` : `${title}: ${plural(series.length, 'curve')}`;
}

function rows(series: readonly ChartSeries[]) {
  const points = series.flatMap(({ id, label, steps, values }) => steps.map((step, i) => [id, label, step, values[i]]));
  return [['id', 'label', 'step', 'value'], ...points];
}
