import { Button, Slider, useComputedColorScheme } from '@mantine/core';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import 'uplot/dist/uPlot.min.css';
import { plural } from '../../lib/format';
import { type Highlight, useHighlight } from '../../lib/highlight';
import { IconZoomOut } from '../icons';
import { AxisTools } from './AxisTools';
import { type Best, type ChartSeries, type ChartSettings, CurvePlot, type Range } from './CurvePlot';
import styles from './Plot.module.css';
import { PlotPanel } from './PlotPanel';

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
  /** Kept by the page, for example in the URL; the chart keeps them itself when not given. */
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
  const [zoomed, onZoom] = useState(false);
  const plot = useRef<CurvePlot>(null);
  const state = useMemo(
    () => ({ ...settings, series, best, stepName, clock, across, up, onZoom }),
    [settings, series, best, stepName, clock, across, up],
  );
  const empty = useMemo(() => series.every(({ steps }) => steps.length === 0), [series]);
  return (
    <PlotPanel
      title={title}
      fileTitle={fileTitle}
      plot={CurvePlot}
      plotRef={plot}
      state={state}
      dark={useComputedColorScheme('light') === 'dark'}
      highlight={highlight}
      onPick={onPick}
      height={height}
      rows={() => rows(series)}
      summary={empty ? `${title}: no points yet` : `${title}: ${plural(series.length, 'curve')}`}
      empty={empty && (props.empty ?? 'No points yet')}
      tools={
        <>
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
        </>
      }
      foot={series.length > 1 && series.length <= LEGEND_MOST && <Legend series={series} highlight={highlight} />}
    />
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
      <AxisTools scale={settings} change={change} />
    </>
  );
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

function rows(series: readonly ChartSeries[]) {
  const points = series.flatMap(({ id, label, steps, values }) => steps.map((step, i) => [id, label, step, values[i]]));
  return [['id', 'label', 'step', 'value'], ...points];
}
