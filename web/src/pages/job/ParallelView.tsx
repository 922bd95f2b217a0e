import { useMemo } from 'react';
import { plural } from '../../lib/format';
import { AxisTools } from '../../parts/plots/AxisTools';
import { PlotPanel } from '../../parts/plots/PlotPanel';
import type { GraphProps } from './graph';
import { parallelState } from './lib/parallel';
import { taskRows } from './lib/rows';
import { ParallelPlot } from './plots/ParallelPlot';
import { useRanked } from './useRanked';

const AXIS_WIDTH = 100;

/** All configurations over all parameters that vary, the objective at the right. */
export function ParallelView(props: GraphProps) {
  const { job, sweep, view, setView, highlight, onPick } = props;
  const ranked = useRanked(props);
  const names = sweep.shape.varying;
  const state = useMemo(() => parallelState(names, ranked), [names, ranked]);
  const empty =
    names.length === 0
      ? 'No parameter differs between the configurations'
      : state.lines.length === 0
        ? `No configuration has a best ${ranked.metric} yet`
        : null;
  return (
    <PlotPanel
      title={`Parameters and ${ranked.metric}`}
      fileTitle={`${job.name} – parallel coordinates`}
      plot={ParallelPlot}
      state={state}
      dark={sweep.dark}
      highlight={highlight}
      onPick={onPick}
      rows={() => taskRows(ranked.tasks, names, ranked.metric)}
      summary={`Parallel coordinates of ${plural(state.lines.length, 'configuration')} over ${names.join(', ')} and ${ranked.metric}`}
      empty={empty}
      tools={<AxisTools name={ranked.metric} scale={view} change={setView} />}
      minWidth={(names.length + 1) * AXIS_WIDTH}
    />
  );
}
