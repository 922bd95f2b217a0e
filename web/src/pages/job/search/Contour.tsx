import { Select } from '@mantine/core';
import { useMemo } from 'react';
import { plural } from '../../../lib/format';
import { PlotPanel } from '../../../parts/plots/PlotPanel';
import { ContourPlot } from '../plots/ContourPlot';
import { chosenTwo, contourState } from './lib/contour';
import { metricOf, namesOf, trialRows } from './lib/trials';
import type { PanelProps } from './panel';

/** Where over two parameters the good trials lie. */
export function Contour({ job, report, sweep, view, setView, highlight, onPick }: PanelProps) {
  const { dark, colors } = sweep;
  const names = useMemo(() => namesOf(report), [report]);
  const [across, up] = chosenTwo([view.cx, view.cy], names, report.importance);
  const { spec } = job;
  const state = useMemo(
    () => contourState(report, { spec }, [across, up], { names, dark, colors }),
    [report, spec, across, up, names, dark, colors],
  );
  const metric = metricOf(report.objectives[0]);
  const empty =
    names.length < 2
      ? 'This graph needs two parameters that differ between trials'
      : state.points.length === 0
        ? `No trial has reported ${metric} yet`
        : null;
  const choose = (first: string, second: string) =>
    setView(first === second ? { cx: up, cy: across } : { cx: first, cy: second });
  return (
    <PlotPanel
      title={`${metric} over two parameters`}
      fileTitle={`${job.name} – ${metric} over ${across} and ${up}`}
      plot={ContourPlot}
      state={state}
      dark={dark}
      highlight={highlight}
      onPick={onPick}
      height={340}
      rows={() => trialRows(report, names)}
      summary={`${metric} of ${plural(state.points.length, 'trial')} over ${across} and ${up}`}
      empty={empty}
      tools={
        names.length >= 2 && (
          <>
            <Axis label="Across" names={names} value={across} onChange={(name) => choose(name, up)} />
            <Axis label="Up" names={names} value={up} onChange={(name) => choose(across, name)} />
          </>
        )
      }
    />
  );
}

function Axis(props: { label: string; names: string[]; value: string; onChange: (name: string) => void }) {
  return (
    <Select
      size="xs"
      w={140}
      aria-label={props.label}
      data={props.names}
      value={props.value || null}
      searchable={props.names.length > 8}
      allowDeselect={false}
      onChange={(chosen) => props.onChange(chosen ?? props.value)}
    />
  );
}
