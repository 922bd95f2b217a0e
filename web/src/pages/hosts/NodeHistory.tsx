import { SegmentedControl, SimpleGrid, useComputedColorScheme } from '@mantine/core';
import { useMemo } from 'react';
import { useLoadHistory } from '../../api/load';
import type { Node } from '../../api/types';
import { seriesColor } from '../../lib/colors';
import { useUrlState } from '../../lib/urlState';
import { ErrorPanel } from '../../parts/ErrorPanel';
import { CurveChart, type Range } from '../../parts/plots/CurveChart';
import styles from './Hosts.module.css';
import { historyCharts, SPANS, VIEW } from './history';
import { ofKind } from './nodes';

const SETTINGS = { log: false, smoothing: 0, clip: false };

/** How busy a node and its GPUs were. Only what is in sight is asked for. */
export function NodeHistory({ node }: { node: Node }) {
  const [{ minutes }, setView] = useUrlState(VIEW);
  const dark = useComputedColorScheme('light') === 'dark';
  const { data, error, dataUpdatedAt } = useLoadHistory(node.backend, node.name, minutes);
  const gpuMemory = Math.max(0, ...ofKind(node.devices ?? [], 'gpu').map(({ memory }) => memory ?? 0)) || null;
  const memory = node.memory ?? null;
  const charts = useMemo(
    () => historyCharts(data ?? [], { memory, gpuMemory }, (index) => seriesColor(index, dark)),
    [data, memory, gpuMemory, dark],
  );
  const across = useMemo<Range>(() => {
    const now = (dataUpdatedAt || Date.now()) / 1000;
    return [now - minutes * 60, now];
  }, [dataUpdatedAt, minutes]);
  if (error && !data) return <ErrorPanel error={error} title="What was before cannot be shown" />;
  return (
    <div className={styles.history}>
      <SegmentedControl
        size="xs"
        aria-label="How far back"
        data={SPANS.map(({ minutes: value, label }) => ({ value: String(value), label }))}
        value={String(minutes)}
        onChange={(value) => setView({ minutes: Number(value) })}
      />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        {charts.map(({ title, series, up }) => (
          <CurveChart
            key={title}
            title={title}
            fileTitle={`${node.name} ${title}`}
            series={series}
            clock
            across={across}
            up={up}
            height={170}
            settings={SETTINGS}
            plain
            empty={data ? 'Not measured yet' : 'Loading'}
          />
        ))}
      </SimpleGrid>
    </div>
  );
}
