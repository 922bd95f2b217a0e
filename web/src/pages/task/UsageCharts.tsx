import { SimpleGrid, useComputedColorScheme } from '@mantine/core';
import { useMemo } from 'react';
import type { Curve, TaskDetail } from '../../api/types';
import { seriesColor } from '../../lib/colors';
import { CurveChart } from '../../parts/plots/CurveChart';
import { inTimeUnit, type Usage, usageOf } from './lib/metrics';

const SETTINGS = { log: false, smoothing: 0, clip: false };

interface Props {
  task: TaskDetail;
  curves: readonly Curve[] | undefined;
}

/** Memory and processors over time, as the runner measures them. */
export function UsageCharts({ task, curves }: Props) {
  const usages = usageOf(task.metrics);
  const measured = usages.some(({ metric }) => task.metrics.includes(metric));
  if (!measured && (task.ended_at || !task.started_at)) return null;
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      {usages.map((usage) => (
        <UsageChart key={usage.metric} usage={usage} curve={curves?.find(({ metric }) => metric === usage.metric)} />
      ))}
    </SimpleGrid>
  );
}

function UsageChart({ curve, usage }: { curve: Curve | undefined; usage: Usage }) {
  const dark = useComputedColorScheme('light') === 'dark';
  const { metric, name, color, range } = usage;
  const [unit, stepName, series] = useMemo(() => {
    const measured = usage.inUnit(curve?.values ?? []);
    const time = inTimeUnit(curve?.steps ?? []);
    const label = `${usage.name}, ${measured.unit}`;
    const line = { id: metric, label, color: seriesColor(color, dark), steps: time.steps, values: measured.values };
    return [measured.unit, time.unit, [line]];
  }, [curve, usage, metric, color, dark]);
  return (
    <CurveChart
      title={curve ? `${name} (${unit})` : name}
      series={series}
      stepName={stepName}
      up={range}
      height={180}
      settings={SETTINGS}
      plain
      empty="Not measured yet"
    />
  );
}
