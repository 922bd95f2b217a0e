import { Button, SimpleGrid, Text, useComputedColorScheme } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Curve, JobDetail, TaskDetail } from '../../api/types';
import { isJudged, stepName } from '../../lib/objective';
import { groupMetrics } from './lib/metrics';
import { MetricChart } from './MetricChart';
import type { View } from './useView';

const FIRST = 6;

interface Props {
  task: TaskDetail;
  job: JobDetail | undefined;
  curves: readonly Curve[] | undefined;
  /** An attempt of before, not the task as it stands. */
  old: boolean;
  view: View;
}

/** A graph for each metric, training and validation together. */
export function MetricCharts({ task, job, curves, old, view }: Props) {
  const [all, setAll] = useState(false);
  const dark = useComputedColorScheme('light') === 'dark';
  const objective = job?.objective.metric;
  const byMetric = useMemo(() => new Map(curves?.map((curve) => [curve.metric, curve])), [curves]);
  // Names come with the task, before the points: the page has its length at once.
  const names = [...task.metrics, ...byMetric.keys()].join('\n');
  const groups = useMemo(() => groupMetrics(names.split('\n').filter(Boolean), objective), [names, objective]);
  const best = useMemo(
    () =>
      old || objective === undefined || task.best_epoch == null || task.best_value == null
        ? null
        : { id: objective, step: task.best_epoch, value: task.best_value },
    [old, objective, task.best_epoch, task.best_value],
  );
  if (groups.length === 0 && job && !isJudged(job)) return null;
  if (groups.length === 0 && task.ended_at) {
    return (
      <Text size="sm" c="dimmed">
        It reported no metrics, so there are no curves.
      </Text>
    );
  }
  const waiting = [{ name: objective ?? 'Metrics', members: [] }];
  const shown = groups.length === 0 ? waiting : all ? groups : groups.slice(0, FIRST);
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: shown.length > 1 ? 2 : 1 }} spacing="md">
        {shown.map((group) => (
          <MetricChart
            key={group.name}
            group={group}
            curves={byMetric}
            best={group.members.some(({ metric }) => metric === best?.id) ? best : null}
            dark={dark}
            step={stepName(job)}
            view={view}
            empty={emptyText(curves === undefined, old, task.ended_at != null)}
          />
        ))}
      </SimpleGrid>
      {groups.length > FIRST && !all && (
        <Button variant="default" size="xs" onClick={() => setAll(true)} style={{ alignSelf: 'center' }}>
          Show all {groups.length} graphs
        </Button>
      )}
    </>
  );
}

function emptyText(loading: boolean, old: boolean, ended: boolean): string {
  if (loading) return 'Loading';
  if (old) return 'Not reported in this attempt';
  return ended ? 'No points' : 'Nothing reported yet';
}
