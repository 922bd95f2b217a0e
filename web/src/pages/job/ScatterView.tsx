import { SegmentedControl, Select } from '@mantine/core';
import { useMemo } from 'react';
import { plural } from '../../lib/format';
import { rowName } from '../../lib/objective';
import { AxisTools } from '../../parts/plots/AxisTools';
import { PlotPanel } from '../../parts/plots/PlotPanel';
import type { GraphProps } from './graph';
import { scalesFor } from './lib/axis';
import { taskRows } from './lib/rows';
import { scatterState } from './lib/scatter';
import { Matters } from './Matters';
import { ScatterPlot } from './plots/ScatterPlot';
import { useRanked } from './useRanked';

const SCALE_NAMES = { linear: 'Linear', log: 'Log', categories: 'Values' };

/** One parameter against the objective, and which parameter is worth a look. */
export function ScatterView(props: GraphProps) {
  const { job, sweep, view, setView, highlight, onPick } = props;
  const ranked = useRanked(props);
  const names = sweep.shape.varying.length ? sweep.shape.varying : sweep.shape.all;
  const param = names.includes(view.param) ? view.param : (names[0] ?? '');
  const scales = useMemo(() => scalesFor(ranked.tasks.map(({ params }) => params[param])), [ranked.tasks, param]);
  const state = useMemo(() => scatterState(param, view.scale, ranked), [param, view.scale, ranked]);
  const empty =
    names.length === 0
      ? 'The job has no parameters'
      : state.points.length === 0
        ? `No configuration has a best ${ranked.metric} yet`
        : null;
  return (
    <PlotPanel
      title={`${param} and ${ranked.metric}`}
      fileTitle={`${job.name} – ${ranked.metric} by ${param}`}
      plot={ScatterPlot}
      state={state}
      dark={sweep.dark}
      highlight={highlight}
      onPick={onPick}
      rows={() => taskRows(ranked.tasks, [param], ranked.metric)}
      summary={`Best ${ranked.metric} of ${plural(state.points.length, rowName(job))} by ${param}`}
      empty={empty}
      aside={
        <Matters
          job={job.id}
          metric={ranked.metric}
          names={names}
          chosen={param}
          onChoose={(one) => setView({ param: one, scale: '' })}
        />
      }
      tools={
        <>
          <Select
            size="xs"
            w={150}
            aria-label="Parameter"
            data={names}
            value={param || null}
            allowDeselect={false}
            onChange={(chosen) => setView({ param: chosen ?? '', scale: '' })}
          />
          {scales.length > 1 && (
            <SegmentedControl
              size="xs"
              aria-label="Scale of the parameter"
              data={scales.map((value) => ({ value, label: SCALE_NAMES[value] }))}
              value={state.x.scale}
              onChange={(scale) => setView({ scale })}
            />
          )}
          <AxisTools name={ranked.metric} scale={view} change={setView} />
        </>
      }
    />
  );
}
