import { Select } from '@mantine/core';
import { useMemo } from 'react';
import { rankColor } from '../../../lib/colors';
import { plural } from '../../../lib/format';
import { PlotPanel } from '../../../parts/plots/PlotPanel';
import { bestColor } from '../lib/ranks';
import { ParetoPlot } from '../plots/ParetoPlot';
import { paretoState } from './lib/pareto';
import { metricOf, namesOf, trialRows } from './lib/trials';
import type { PanelProps } from './panel';
import styles from './Search.module.css';

/** Two objectives, and the trials that no other one is better than in all of them. */
export function Pareto({ job, report, sweep, view, setView, highlight, onPick }: PanelProps) {
  const { dark } = sweep;
  const { clip } = view;
  const { objectives } = report;
  const last = objectives.length - 1;
  const i = Math.min(Math.max(view.px, 0), last);
  const j = view.py === i || view.py > last || view.py < 0 ? (i === 0 ? 1 : 0) : view.py;
  const names = useMemo(() => namesOf(report), [report]);
  const frontColor = bestColor(dark);
  const state = useMemo(
    () => paretoState(report, [i, j], { names, clip, color: rankColor(0.75, dark), frontColor }),
    [report, i, j, names, clip, dark, frontColor],
  );
  const front = state.points.filter((point) => point.front).length;
  const data = objectives.map((objective, at) => ({ value: String(at), label: metricOf(objective) }));
  const choose = (first: number, second: number) =>
    setView(first === second ? { px: j, py: i } : { px: first, py: second });
  return (
    <PlotPanel
      title="Pareto front"
      fileTitle={`${job.name} – Pareto front`}
      plot={ParetoPlot}
      state={state}
      dark={dark}
      highlight={highlight}
      onPick={onPick}
      height={340}
      rows={() => trialRows(report, names)}
      summary={`${metricOf(objectives[j])} over ${metricOf(objectives[i])} of ${plural(state.points.length, 'trial')}, ${front} of them on the Pareto front`}
      empty={state.points.length === 0 ? 'No trial has reported both objectives yet' : null}
      tools={
        objectives.length > 2 && (
          <>
            <Objective label="Objective across" data={data} value={i} onChange={(at) => choose(at, j)} />
            <Objective label="Objective up" data={data} value={j} onChange={(at) => choose(i, at)} />
          </>
        )
      }
      foot={
        <ul className={styles.legend}>
          <li>
            <span className={styles.line} style={{ borderColor: frontColor }} /> Pareto front: {plural(front, 'trial')}{' '}
            that no other one is better than in all objectives
          </li>
        </ul>
      }
    />
  );
}

interface ObjectiveProps {
  label: string;
  data: { value: string; label: string }[];
  value: number;
  onChange: (at: number) => void;
}

function Objective({ label, data, value, onChange }: ObjectiveProps) {
  return (
    <Select
      size="xs"
      w={140}
      aria-label={label}
      data={data}
      value={String(value)}
      allowDeselect={false}
      onChange={(chosen) => onChange(Number(chosen ?? value))}
    />
  );
}
