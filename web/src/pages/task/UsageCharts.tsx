import { SimpleGrid, useComputedColorScheme } from '@mantine/core';
import { useMemo } from 'react';
import type { Curve, TaskDetail } from '../../api/types';
import { seriesColor } from '../../lib/colors';
import { CurveChart } from '../../parts/curve-chart/CurveChart';
import { CPU, inBytesUnit, inTimeUnit, MEMORY } from './lib/metrics';

const SETTINGS = { log: false, smoothing: 0, clip: false };

interface Props {
  task: TaskDetail;
  curves: readonly Curve[] | undefined;
}

/** Memory and processor over time, as the runner measures them. */
export function UsageCharts({ task, curves }: Props) {
  const measured = task.metrics.some((name) => name === MEMORY || name === CPU);
  if (!measured && (task.ended_at || !task.started_at)) return null;
  const find = (metric: string) => curves?.find((curve) => curve.metric === metric);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      <UsageChart curve={find(MEMORY)} what="memory" />
      <UsageChart curve={find(CPU)} what="cpu" />
    </SimpleGrid>
  );
}

function UsageChart({ curve, what }: { curve: Curve | undefined; what: 'memory' | 'cpu' }) {
  const dark = useComputedColorScheme('light') === 'dark';
  const [unit, stepName, series] = useMemo(() => {
    const measured = what === 'memory' ? inBytesUnit(curve?.values ?? []) : { unit: 'cores', values: curve?.values };
    const label = `${what === 'memory' ? 'memory' : 'CPU'}, ${measured.unit}`;
    const color = seriesColor(what === 'memory' ? 3 : 6, dark);
    const time = inTimeUnit(curve?.steps ?? []);
    return [measured.unit, time.unit, [{ id: what, label, color, steps: time.steps, values: measured.values ?? [] }]];
  }, [curve, what, dark]);
  return (
    <CurveChart
      title={what === 'memory' ? (curve ? `Memory (${unit})` : 'Memory') : 'CPU (cores in use)'}
      series={series}
      stepName={stepName}
      height={180}
      settings={SETTINGS}
      plain
      empty="Not measured yet"
    />
  );
}
