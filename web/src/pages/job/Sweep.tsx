import { Group, SegmentedControl, Text } from '@mantine/core';
import { useCallback, useMemo } from 'react';
import { useLocation } from 'wouter';
import { MOST_CURVES, useMetricNames } from '../../api/curves';
import type { JobDetail, Outline } from '../../api/types';
import { plural } from '../../lib/format';
import { useHighlight } from '../../lib/highlight';
import { isJudged, rowName, stepName } from '../../lib/objective';
import { rangesText } from '../../lib/ranges';
import { ParamChips } from '../../parts/ParamChips';
import { ColumnChoice } from './ColumnChoice';
import { Compare } from './Compare';
import { CurvesView } from './CurvesView';
import styles from './Job.module.css';
import { isOfMachine } from './lib/metrics';
import { OWN_COLORS } from './lib/ranks';
import { ParallelView } from './ParallelView';
import { RankLegend } from './RankLegend';
import { ScatterView } from './ScatterView';
import { TaskColors } from './Swatch';
import { SearchView } from './search/SearchView';
import { TableBar } from './TableBar';
import { TaskTable } from './TaskTable';
import { useSweep } from './useSweep';
import { useView } from './view';

const VIEWS = [
  { value: 'curves', label: 'Curves' },
  { value: 'parallel', label: 'Parallel' },
  { value: 'scatter', label: 'Scatter' },
];
const SEARCH = { value: 'search', label: 'Search' };

/** The graphs and the table of a job's configurations: what is under the pointer in one is highlighted in all. */
export function Sweep({ job, tasks }: { job: JobDetail; tasks: Outline[] }) {
  const [view, setView] = useView();
  const highlight = useHighlight();
  const [, navigate] = useLocation();
  const sweep = useSweep(job, tasks, view);
  const open = useCallback((task: string) => navigate(`/tasks/${task}`), [navigate]);
  const { objective } = job;
  const { other_objectives: others } = job.spec;
  const objectives = useMemo(() => [objective, ...(others ?? [])], [objective, others]);
  const count = tasks.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the number of a task never changes
  const numbers = useMemo(() => new Map(tasks.map(({ id, number }) => [id, number])), [count]);
  const sort = useCallback((next: string) => setView({ sort: next }), [setView]);
  const select = useCallback(
    (ids: ReadonlySet<string>) => {
      const selected = rangesText([...ids].map((id) => numbers.get(id)).filter((one) => one !== undefined));
      setView(selected ? { selected } : { selected, compare: false });
    },
    [numbers, setView],
  );
  const { shape, shown, shownIds, filtered, selected, comparing } = sweep;
  const searched = job.searching || tasks.length > 1;
  const judged = isJudged(job);
  const what = rowName(job);
  const { data: metrics = [] } = useMetricNames(job.id);
  // Where nothing is better than anything else, there are curves at most.
  const views = judged ? (searched ? [...VIEWS, SEARCH] : VIEWS) : VIEWS.slice(0, 1);
  const drawn = judged || metrics.some((name) => !isOfMachine(name));
  const graphView = views.find(({ value }) => value === view.view)?.value ?? 'curves';
  const graph = { job, sweep, view, setView, highlight, onPick: open };
  const choose = useCallback((cols: string[]) => setView({ cols }), [setView]);
  const step = stepName(job);
  const columns = useMemo(
    () => (
      <ColumnChoice job={job} shape={shape} objectives={objectives} step={step} chosen={view.cols} onChange={choose} />
    ),
    [job, shape, objectives, step, view.cols, choose],
  );
  return (
    <TaskColors value={sweep.colors}>
      {drawn && (
        <section aria-label="Graphs">
          <Group justify="space-between" mb={6} gap="xs">
            {judged && (
              <SegmentedControl
                size="xs"
                aria-label="Graph"
                data={views}
                value={graphView}
                onChange={(chosen) => setView({ view: chosen })}
              />
            )}
            <Text size="xs" c="dimmed" component="div" className={styles.legend}>
              {graphView === 'curves' && shownIds.length > MOST_CURVES
                ? `curves of the ${MOST_CURVES / 2} best of ${plural(shownIds.length, what)}, and of a sample of the others`
                : shownIds.length < tasks.length &&
                  graphView !== 'search' &&
                  `${shownIds.length.toLocaleString('en-US')} of ${plural(tasks.length, what)}`}
              {judged && sweep.groups === null && shownIds.length > OWN_COLORS && (
                <RankLegend metric={job.objective.metric ?? ''} dark={sweep.dark} />
              )}
            </Text>
          </Group>
          {graphView === 'parallel' ? (
            <ParallelView {...graph} />
          ) : graphView === 'scatter' ? (
            <ScatterView {...graph} />
          ) : graphView === 'search' ? (
            <SearchView {...graph} tasks={tasks} />
          ) : (
            <CurvesView {...graph} />
          )}
        </section>
      )}
      {comparing && <Compare job={job} tasks={shown} sweep={sweep} highlight={highlight} />}
      <section aria-label="Configurations" className={`app-panel ${styles.tablePanel}`}>
        <TableBar
          job={job}
          total={tasks.length}
          left={filtered.length}
          selected={selected}
          comparing={comparing}
          view={view}
          setView={setView}
          onSelected={select}
          columns={columns}
        />
        {Object.keys(shape.fixed).length > 0 && shape.varying.length > 0 && (
          <div className={styles.fixed}>
            <span className={styles.fixedName}>The same in all</span>
            <ParamChips params={shape.fixed} />
          </div>
        )}
        <TaskTable
          job={job}
          tasks={filtered}
          shape={shape}
          objectives={objectives}
          step={step}
          chosen={view.cols}
          highlight={highlight}
          sort={view.sort}
          onSort={sort}
          selected={selected}
          onSelected={select}
          onOpen={open}
        />
      </section>
    </TaskColors>
  );
}
