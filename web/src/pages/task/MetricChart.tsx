import { useCallback, useMemo, useRef } from 'react';
import type { Curve } from '../../api/types';
import { seriesColor } from '../../lib/colors';
import { type Best, type ChartSeries, type ChartSettings, CurveChart } from '../../parts/plots/CurveChart';
import type { MetricGroup } from './lib/metrics';
import type { View } from './useView';

interface Props {
  group: MetricGroup;
  curves: ReadonlyMap<string, Curve>;
  best: Best | null;
  dark: boolean;
  view: View;
  empty: string;
  /** What the axis counts. */
  step: string;
}

export function MetricChart({ group, curves, best, dark, view, empty, step }: Props) {
  const { name, members } = group;
  const series = useSeries(group, curves, dark);
  const log = view.logs.includes(name);
  const { smoothing, clip, setSettings } = view;
  const settings = useMemo(() => ({ log, smoothing, clip }), [log, smoothing, clip]);
  const onSettings = useCallback((changed: ChartSettings) => setSettings(name, changed), [name, setSettings]);
  const [only] = members;
  return (
    <CurveChart
      title={members.length === 1 && only ? only.metric : name}
      series={series}
      best={best}
      height={260}
      stepName={step}
      settings={settings}
      onSettings={onSettings}
      empty={empty}
    />
  );
}

/** The same array while none of its curves has moved: other metrics move more often. */
function useSeries(group: MetricGroup, curves: ReadonlyMap<string, Curve>, dark: boolean): ChartSeries[] {
  const known = useRef<ChartSeries[]>([]);
  return useMemo(() => {
    const made = group.members.map(({ metric, color }, i) => {
      const curve = curves.get(metric);
      const next = { id: metric, label: metric, color: seriesColor(color, dark), ...points(curve) };
      const old = known.current[i];
      return old?.id === metric && old.color === next.color && old.steps === next.steps ? old : next;
    });
    const same = made.length === known.current.length && made.every((one, i) => one === known.current[i]);
    if (!same) known.current = made;
    return known.current;
  }, [group, curves, dark]);
}

const NONE: number[] = [];

function points(curve: Curve | undefined): Pick<ChartSeries, 'steps' | 'values'> {
  return curve ? { steps: curve.steps, values: curve.values } : { steps: NONE, values: NONE };
}
