import { useEffect, useMemo, useRef } from 'react';
import { plural } from '../../lib/format';
import { rowName } from '../../lib/objective';
import { AxisTools } from '../../parts/plots/AxisTools';
import { PlotPanel } from '../../parts/plots/PlotPanel';
import type { GraphProps } from './graph';
import styles from './Job.module.css';
import { brushed, replaced } from './lib/brush';
import { brushName, parallelState } from './lib/parallel';
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
  const plot = useRef<ParallelPlot>(null);
  useEffect(() => {
    if (!plot.current) return;
    plot.current.onBrush = (index, part) => {
      const axis = state.axes[index];
      if (!axis) return;
      const name = brushName(state.axes, index);
      setView({ brush: replaced(view.brush, name, part ? brushed(axis, name, ...part) : []) });
    };
  }, [state, view.brush, setView]);
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
      plotRef={plot}
      state={state}
      dark={sweep.dark}
      highlight={highlight}
      onPick={onPick}
      rows={() => taskRows(ranked.tasks, names, ranked.metric)}
      summary={`Parallel coordinates of ${plural(state.lines.length, rowName(job))} over ${names.join(', ')} and ${ranked.metric}`}
      empty={empty}
      tools={<AxisTools name={ranked.metric} scale={view} change={setView} />}
      foot={<p className={styles.foot}>Drag along an axis to keep a part of it, in the table and all graphs.</p>}
      minWidth={(names.length + 1) * AXIS_WIDTH}
    />
  );
}
