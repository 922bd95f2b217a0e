import { Button, Slider, useComputedColorScheme } from '@mantine/core';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import 'uplot/dist/uPlot.min.css';
import { plural } from '../../lib/format';
import { type Highlight, useHighlight } from '../../lib/highlight';
import { IconZoomOut } from '../icons';
import { ClipSwitch, LogSwitch } from './AxisTools';
import { type Best, type ChartSeries, type ChartSettings, CurvePlot, type Range } from './CurvePlot';
import styles from './Plot.module.css';
import { PlotPanel } from './PlotPanel';

export type { Best, ChartSeries, ChartSettings, Range };

export const DEFAULT_SETTINGS: ChartSettings = { log: false, smoothing: 0, clip: true };
const LEGEND_MOST = 10;
const NONE: ReadonlySet<string> = new Set();

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
  /** Steps are seconds since a start. */
  span?: boolean;
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
  /** One of several: without legend, and with the log scale as its only control. */
  bare?: boolean | undefined;
  /** Ids of curves that are in the legend only. */
  hidden?: ReadonlySet<string>;
  onHidden?: (ids: Set<string>) => void;
  empty?: ReactNode;
}

/** Many curves in one graph. Give `series` objects that stay the same while their curve does. */
export function CurveChart(props: Props) {
  const { title, fileTitle = title, series, best = null, stepName = 'epoch', height = 320, onPick } = props;
  const { clock = false, span = false, across, up, hidden = NONE, onHidden } = props;
  const own = useHighlight();
  const highlight = props.highlight ?? own;
  const [kept, keep] = useState(DEFAULT_SETTINGS);
  const settings = props.settings ?? kept;
  const change = (some: Partial<ChartSettings>) => (props.onSettings ?? keep)({ ...settings, ...some });
  const [zoomed, onZoom] = useState(false);
  const plot = useRef<CurvePlot>(null);
  const seen = useMemo(() => (hidden.size ? series.filter(({ id }) => !hidden.has(id)) : series), [series, hidden]);
  const state = useMemo(
    () => ({ ...settings, series: seen, best, stepName, clock, span, across, up, onZoom }),
    [settings, seen, best, stepName, clock, span, across, up],
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
          {!props.plain && (
            <HowDrawn settings={settings} change={change} bare={props.bare} optional={onHidden !== undefined} />
          )}
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
      foot={
        !props.bare &&
        series.length > 1 &&
        series.length <= LEGEND_MOST && (
          <Legend series={series} highlight={highlight} hidden={hidden} onHidden={onHidden} />
        )
      }
    />
  );
}

interface HowDrawnProps {
  settings: ChartSettings;
  change: (some: Partial<ChartSettings>) => void;
  bare?: boolean | undefined;
  /** The page has the switch for outliers elsewhere. */
  optional: boolean;
}

function HowDrawn({ settings, change, bare = false, optional }: HowDrawnProps) {
  if (bare) return <LogSwitch scale={settings} change={change} />;
  return (
    <>
      <Smoothing value={settings.smoothing} onChange={(smoothing) => change({ smoothing })} />
      <LogSwitch scale={settings} change={change} />
      {!optional && <ClipSwitch scale={settings} change={change} />}
    </>
  );
}

export function Smoothing({ value, onChange }: { value: number; onChange: (value: number) => void }) {
  return (
    <div className={styles.smoothing}>
      Smoothing
      <Slider
        size="sm"
        min={0}
        max={0.99}
        step={0.01}
        value={value}
        onChange={onChange}
        label={(shown) => shown.toFixed(2)}
        thumbLabel="Smoothing"
      />
    </div>
  );
}

interface LegendProps {
  series: readonly ChartSeries[];
  highlight: Highlight;
  hidden: ReadonlySet<string>;
  onHidden?: ((ids: Set<string>) => void) | undefined;
}

/** A click hides a curve or shows it again; with Shift, only this one is shown, or all. */
export function Legend({ series, highlight, hidden, onHidden }: LegendProps) {
  const toggle = (id: string, alone: boolean) => {
    const others = series.map((one) => one.id).filter((one) => one !== id);
    const isAlone = !hidden.has(id) && others.every((one) => hidden.has(one));
    const next = new Set(alone ? (isAlone ? [] : others) : hidden);
    if (!alone && !next.delete(id)) next.add(id);
    onHidden?.(next);
  };
  return (
    <ul className={styles.legend}>
      {series.map(({ id, label, color, dashed }) => {
        const mark = (
          <span className={styles.swatch} style={{ borderColor: color, borderTopStyle: dashed ? 'dashed' : 'solid' }} />
        );
        return (
          <li key={id} onPointerEnter={() => highlight.set(id)} onPointerLeave={() => highlight.set(null)}>
            {onHidden ? (
              <button
                type="button"
                className={styles.toggle}
                aria-pressed={!hidden.has(id)}
                title="Hide or show it; with Shift: only this one"
                onClick={(event) => toggle(id, event.shiftKey)}
              >
                {mark}
                {label}
              </button>
            ) : (
              <>
                {mark}
                {label}
              </>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function rows(series: readonly ChartSeries[]) {
  const points = series.flatMap(({ id, label, steps, values }) => steps.map((step, i) => [id, label, step, values[i]]));
  return [['id', 'label', 'step', 'value'], ...points];
}
