import { useMemo } from 'react';
import { plural } from '../../../lib/format';
import { AxisTools } from '../../../parts/plots/AxisTools';
import { PlotPanel } from '../../../parts/plots/PlotPanel';
import { stateColor } from '../../../parts/states';
import { bestColor } from '../lib/ranks';
import { HistoryPlot } from '../plots/HistoryPlot';
import { historyState } from './lib/history';
import { metricOf, namesOf, trialRows } from './lib/trials';
import type { PanelProps } from './panel';
import styles from './Search.module.css';

/** All trials by their number, and the best so far. */
export function History({ job, report, sweep, view, setView, highlight, onPick }: PanelProps) {
  const { log, clip } = view;
  const { dark } = sweep;
  const names = useMemo(() => namesOf(report), [report]);
  const state = useMemo(
    () => historyState(report, { names, log, clip, bestColor: bestColor(dark) }),
    [report, names, log, clip, dark],
  );
  const metric = metricOf(report.objectives[0]);
  return (
    <PlotPanel
      title={`History of ${metric}`}
      fileTitle={`${job.name} – history`}
      plot={HistoryPlot}
      state={state}
      dark={dark}
      highlight={highlight}
      onPick={onPick}
      height={300}
      rows={() => trialRows(report, names)}
      summary={`${metric} of ${plural(state.points.length, 'trial')} by number, with the best so far`}
      empty={state.points.length === 0 ? `No trial has reported ${metric} yet` : null}
      tools={<AxisTools name={metric} scale={view} change={setView} />}
      foot={<Legend report={report} best={bestColor(dark)} />}
    />
  );
}

const MARKS = [
  { state: 'finished', sign: '●' },
  { state: 'running', sign: '○' },
  { state: 'submitted', sign: '○' },
  { state: 'stopped', sign: '○' },
  { state: 'pruned', sign: '×' },
  { state: 'error', sign: '×' },
] as const;

function Legend({ report, best }: Pick<PanelProps, 'report'> & { best: string }) {
  const there = new Set(
    report.history
      .filter(({ state, values }) => state === 'error' || (values[0] !== null && values[0] !== undefined))
      .map(({ state }) => state),
  );
  return (
    <ul className={styles.legend}>
      <li>
        <span className={styles.line} style={{ borderColor: best }} /> best so far
      </li>
      {MARKS.filter(({ state }) => there.has(state)).map(({ state, sign }) => (
        <li key={state}>
          <span aria-hidden="true" style={{ color: stateColor(state) }}>
            {sign}
          </span>{' '}
          {state}
        </li>
      ))}
    </ul>
  );
}
