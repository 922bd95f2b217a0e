import { type ReactNode, useCallback, useDeferredValue, useMemo, useRef, useState } from 'react';
import { MOST_CURVES, useJobCurves, useMetricNames } from '../../api/curves';
import type { ChosenTasks } from '../../api/keys';
import { useStarts } from '../../api/tasks';
import type { Curve, JobDetail } from '../../api/types';
import { stepName } from '../../lib/objective';
import { rangesText } from '../../lib/ranges';
import { CurveChart, Legend, Smoothing } from '../../parts/plots/CurveChart';
import { CurveOptions } from './CurveOptions';
import type { GraphProps } from './graph';
import styles from './Job.module.css';
import { type Across, EPOCH_METRIC, isX, type X } from './lib/across';
import { counterpart, isOfMachine, isValidation } from './lib/metrics';
import { OWN_COLORS } from './lib/ranks';
import { MetricChoice } from './MetricChoice';
import { taskOf, useBest, useSeries, useSplitHighlight } from './series';
import type { Sweep } from './useSweep';
import { useResting, type View } from './view';

const NO_CURVES: Curve[] = [];
const NO_NAMES: string[] = [];
const NO_EPOCHS: ReadonlyMap<string, Curve> = new Map();
/** Twice as many curves are drawn. */
const MOST_BOTH = 100;

/** Metrics of all configurations, one graph each: their curves, or means of groups. */
export function CurvesView(props: GraphProps) {
  const { job, sweep, view, setView, highlight } = props;
  const { data: names = NO_NAMES } = useMetricNames(job.id);
  const objective = job.objective.metric ?? '';
  const usual = objective || (names.find((name) => !isOfMachine(name)) ?? '');
  const metrics = view.metric.length ? view.metric : [usual];
  const [first = ''] = metrics;
  const several = metrics.length > 1;
  const x: X = isX(view.x) && (view.x !== 'epoch' || names.includes(EPOCH_METRIC)) ? view.x : '';
  const [smoothing, setSmoothing] = useResting(view.smooth, (smooth) => setView({ smooth }));
  const other = useMemo(() => counterpart(first, names), [first, names]);
  const tooMany = sweep.shownIds.length > MOST_BOTH && sweep.groups === null;
  const both = view.both && !several && !tooMany ? other : null;
  const hidden = useMemo(() => new Set(view.hide.map((one) => idOf(one, job.id))), [view.hide, job.id]);
  const setHidden = useCallback(
    (ids: Set<string>) => setView({ hide: [...ids].map((id) => id.replace(`${job.id}-`, '')) }),
    [setView, job.id],
  );
  const [choosing, setChoosing] = useState(false);
  const change = (metric: string[]) => setView({ metric: metric.length === 1 && metric[0] === usual ? [] : metric });
  const tools = (
    <>
      <MetricChoice
        names={[usual, ...metrics, ...names]}
        chosen={metrics}
        onChange={change}
        opened={choosing}
        onOpened={setChoosing}
      />
      <CurveOptions
        {...props}
        x={x}
        names={names}
        counts={countName(job, names)}
        second={
          several || !objective ? null : { name: isValidation(first) ? 'With training' : 'With validation', on: !!both }
        }
        secondIsPossible={other !== null && !tooMany}
      />
    </>
  );
  const chart = (metric: string, i: number) => (
    <MetricChart
      key={metric}
      {...props}
      metric={metric}
      names={names}
      second={i === 0 ? both : null}
      x={x}
      smoothing={smoothing}
      setSmoothing={setSmoothing}
      first={i === 0}
      bare={several}
      hidden={hidden}
      onHidden={setHidden}
      tools={several ? undefined : tools}
    />
  );
  if (!several) return chart(first, 0);
  const entries = legendOf(sweep);
  return (
    <>
      <section className="app-panel" aria-label="Metrics">
        <div className={styles.chartBar}>
          {tools}
          <Smoothing value={smoothing} onChange={setSmoothing} />
        </div>
        {entries.length > 1 && entries.length <= OWN_COLORS && (
          <Legend series={entries} highlight={highlight} hidden={hidden} onHidden={setHidden} />
        )}
      </section>
      <div className={styles.charts}>{metrics.map(chart)}</div>
    </>
  );
}

function idOf(text: string, job: string): string {
  return /^\d/.test(text) ? `${job}-${text}` : text;
}

/** What tasks count: where scripts count steps and epochs, points are at steps. */
function countName(job: JobDetail, names: readonly string[]): string {
  return names.includes(EPOCH_METRIC) ? 'step' : stepName(job);
}

function legendOf({ groups, shownIds, shape, colors }: Sweep) {
  const entry = (id: string, label: string) => ({ id, label, color: colors.get(id) ?? '', steps: [], values: [] });
  if (groups) return groups.all.map(({ key, label }) => entry(key, label));
  return shownIds.length <= OWN_COLORS ? shownIds.map((id) => entry(id, shape.labels.get(id) ?? id)) : [];
}

interface ChartProps extends GraphProps {
  metric: string;
  names: readonly string[];
  /** Drawn with it, dashed. */
  second: string | null;
  x: X;
  smoothing: number;
  setSmoothing: (value: number) => void;
  first: boolean;
  bare: boolean;
  hidden: ReadonlySet<string>;
  onHidden: (ids: Set<string>) => void;
  tools?: ReactNode;
}

function MetricChart(props: ChartProps) {
  const { job, sweep, view, setView, highlight, onPick, metric, names, second, smoothing, setSmoothing, first } = props;
  const ofMachine = isOfMachine(metric);
  const x = ofMachine && props.x === 'epoch' ? '' : props.x;
  const wanted = useMemo(
    () => [metric, second ?? '', x === 'epoch' ? EPOCH_METRIC : ''].filter(Boolean),
    [metric, second, x],
  );
  const timed = x === 'relative' || x === 'wall';
  const count = Math.min(sweep.total, MOST_CURVES);
  const query = useJobCurves(job.id, wanted, count, useChosen(sweep, view), timed);
  const held = useDeferredValue(useHeld(query.data, metric, x));
  const across = useAcross(job, held.curves, held.x);
  const series = useSeries(held.curves, held.metric, sweep, across);
  const best = useBest(job, held.curves, held.metric, sweep, across);
  const { groups } = sweep;
  const split = useSplitHighlight(highlight, groups);
  const log = first ? view.log : view.logs.includes(metric);
  const { clip } = view;
  const settings = useMemo(() => ({ log, smoothing, clip }), [log, smoothing, clip]);
  const pick = useCallback(
    (id: string) => {
      const group = groups?.all.find(({ key }) => key === taskOf(id));
      if (group) setView({ brush: [...view.brush, group.word], group: 'none' });
      else onPick(taskOf(id));
    },
    [groups, onPick, setView, view.brush],
  );
  const setLog = (on: boolean) =>
    first
      ? setView({ log: on })
      : setView({ logs: on ? [...view.logs, metric] : view.logs.filter((name) => name !== metric) });
  return (
    <CurveChart
      title={metric}
      fileTitle={`${job.name} – ${metric}`}
      series={series}
      highlight={split}
      best={best}
      height={props.bare ? 240 : 380}
      stepName={acrossName(held.x, isOfMachine(held.metric), countName(job, names))}
      clock={held.x === 'wall'}
      span={held.x === 'relative' || (held.x === '' && isOfMachine(held.metric))}
      settings={settings}
      onSettings={(next) => {
        if (next.smoothing !== smoothing) setSmoothing(next.smoothing);
        else if (next.log !== log) setLog(next.log);
        else setView({ clip: next.clip });
      }}
      onPick={pick}
      empty={query.isLoading ? 'Loading the curves…' : emptyText(sweep.shownIds.length, metric, names, job.ended)}
      tools={props.tools}
      bare={props.bare}
      hidden={props.hidden}
      onHidden={props.onHidden}
    />
  );
}

function acrossName(x: X, ofMachine: boolean, counted: string): string {
  if (x === 'relative' || (x === '' && ofMachine)) return 'time since the start';
  return x || counted;
}

function useAcross(job: JobDetail, curves: Curve[], x: X): Across {
  const starts = useStarts(job.id, x === 'relative');
  const epochs = useMemo(() => {
    const found = x === 'epoch' ? curves.filter(({ metric }) => metric === EPOCH_METRIC) : [];
    return found.length ? new Map(found.map((curve) => [curve.task, curve])) : NO_EPOCHS;
  }, [curves, x]);
  return useMemo(() => ({ x, starts, epochs }), [x, starts, epochs]);
}

/** Numbers of tasks in one address: the server takes no longer texts. */
const MOST_NUMBERS = 800;

/** Of which tasks there are curves, where a job has more than one graph shows. Null: of all. */
function useChosen({ total, comparing, shown, q }: Sweep, { state }: View): ChosenTasks | null {
  const many = total > MOST_CURVES;
  const numbers = many && comparing ? rangesText(shown.slice(0, MOST_NUMBERS).map(({ number }) => number)) : '';
  return useMemo(
    () => (!many ? null : numbers ? { q: '', state: [], numbers } : { q, state, numbers }),
    [many, numbers, q, state],
  );
}

/** What was shown stays until what was asked for is there. */
function useHeld(curves: Curve[] | undefined, metric: string, x: X) {
  const held = useRef({ curves: NO_CURVES, metric, x });
  const { current } = held;
  if (curves && (current.curves !== curves || current.metric !== metric || current.x !== x))
    held.current = { curves, metric, x };
  return held.current;
}

function emptyText(shown: number, metric: string, names: readonly string[], ended: boolean): string {
  if (shown === 0) return 'No configuration matches the filter';
  const others = names.filter((name) => !isOfMachine(name));
  if (others.length > 0 && !others.includes(metric)) return `No ${metric} so far; there is ${others.join(', ')}`;
  return ended ? `No ${metric} was reported` : `No ${metric} has been reported yet`;
}
