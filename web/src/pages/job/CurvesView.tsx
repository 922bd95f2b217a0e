import { Select, Switch } from '@mantine/core';
import { useCallback, useDeferredValue, useMemo, useRef } from 'react';
import { useJobCurves, useMetricNames } from '../../api/curves';
import type { Curve } from '../../api/types';
import { stepName } from '../../lib/objective';
import { CurveChart } from '../../parts/plots/CurveChart';
import type { GraphProps } from './graph';
import { counterpart, grouped, isOfMachine, isValidation } from './lib/metrics';
import { taskOf, useBest, useSeries, useSplitHighlight } from './series';
import { useResting } from './view';

const NO_CURVES: Curve[] = [];
const NO_NAMES: string[] = [];
/** Twice as many curves are drawn. */
const MOST_BOTH = 100;

/** One metric of all configurations in one graph; its counterpart of training or validation with it, dashed. */
export function CurvesView({ job, sweep, view, setView, highlight, onPick }: GraphProps) {
  const { data: names = NO_NAMES } = useMetricNames(job.id);
  const objective = job.objective.metric ?? '';
  const metric = view.metric || objective || (names.find((name) => !isOfMachine(name)) ?? '');
  const other = useMemo(() => counterpart(metric, names), [metric, names]);
  const second = view.both && sweep.shownIds.length <= MOST_BOTH ? other : null;
  const wanted = useMemo(() => [metric, second ?? ''].filter(Boolean), [metric, second]);
  const query = useJobCurves(job.id, wanted);
  const held = useDeferredValue(useHeld(query.data, metric));
  const series = useSeries(held.curves, held.metric, sweep);
  const best = useBest(job, held.curves, held.metric, sweep);
  const split = useSplitHighlight(highlight);
  const [smoothing, setSmoothing] = useResting(view.smooth, (smooth) => setView({ smooth }));
  const { log, clip } = view;
  const settings = useMemo(() => ({ log, smoothing, clip }), [log, smoothing, clip]);
  const tooMany = sweep.shownIds.length > MOST_BOTH;
  const tools = useMemo(() => {
    const metrics = grouped([objective, metric, ...names]);
    return (
      <>
        <Select
          size="xs"
          w={150}
          aria-label="Metric"
          data={metrics}
          value={metric}
          searchable={names.length > 8}
          allowDeselect={false}
          onChange={(chosen) => setView({ metric: chosen === objective ? '' : (chosen ?? '') })}
        />
        {objective && (
          <Switch
            size="xs"
            label={isValidation(metric) ? 'With training' : 'With validation'}
            disabled={other === null || tooMany}
            title={`Dashed; for up to ${MOST_BOTH} configurations: filter or compare`}
            checked={second !== null}
            onChange={(event) => setView({ both: event.currentTarget.checked })}
          />
        )}
      </>
    );
  }, [objective, metric, names, other, second, tooMany, setView]);
  const pick = useCallback((id: string) => onPick(taskOf(id)), [onPick]);
  return (
    <CurveChart
      title={metric}
      fileTitle={`${job.name} – ${metric}`}
      series={series}
      highlight={split}
      best={best}
      height={380}
      stepName={isOfMachine(held.metric) ? 'seconds' : stepName(job)}
      settings={settings}
      onSettings={(next) => {
        if (next.smoothing !== smoothing) setSmoothing(next.smoothing);
        else setView({ log: next.log, clip: next.clip });
      }}
      onPick={pick}
      empty={query.isLoading ? 'Loading the curves…' : emptyText(sweep.shownIds.length, metric, names, job.ended)}
      tools={tools}
    />
  );
}

/** What was shown stays until what was asked for is there. */
function useHeld(curves: Curve[] | undefined, metric: string) {
  const held = useRef({ curves: NO_CURVES, metric });
  if (curves && (held.current.curves !== curves || held.current.metric !== metric)) held.current = { curves, metric };
  return held.current;
}

function emptyText(shown: number, metric: string, names: readonly string[], ended: boolean): string {
  if (shown === 0) return 'No configuration matches the filter';
  const others = names.filter((name) => !isOfMachine(name));
  if (others.length > 0 && !others.includes(metric)) return `No ${metric} so far; there is ${others.join(', ')}`;
  return ended ? `No ${metric} was reported` : `No ${metric} has been reported yet`;
}
