import { ActionIcon, Button, SegmentedControl, Select, Stack, useComputedColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactElement, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { useBestTasks, useCurvesOf, useJobsByIds } from '../../api/compare';
import { useJobs } from '../../api/jobs';
import { useMe } from '../../api/me';
import type { Curve, JobDetail, Task } from '../../api/types';
import { seriesColor } from '../../lib/colors';
import { duration, number, plural } from '../../lib/format';
import { type Highlight, useHighlight } from '../../lib/highlight';
import { useUrlState } from '../../lib/urlState';
import comparison from '../../parts/comparison.module.css';
import { EmptyState } from '../../parts/EmptyState';
import { ErrorPanel } from '../../parts/ErrorPanel';
import { IconClose, IconCompare } from '../../parts/icons';
import { Page, Waiting } from '../../parts/Page';
import { Owner } from '../../parts/Person';
import { CurveChart } from '../../parts/plots/CurveChart';
import { Elapsed } from '../../parts/RelativeTime';
import { StateBadge } from '../../parts/StateBadge';
import { StateBar } from '../../parts/StateBar';
import styles from './Compare.module.css';
import { bestPlaces, figures, goalOf, metricNames, paramRows } from './compareLib';

const MOST = 8;
const DEFAULTS = { job: [] as string[], best: 1, metric: '', all: false };
const COUNTS = ['1', '3', '5'];

/** One task of one of the jobs, with its curves and its colour. */
interface Column {
  job: JobDetail;
  task: Task;
  color: string;
  curves: Curve[];
}

/** The best tasks of several jobs side by side. The jobs are in the address. */
export default function ComparePage() {
  const [view, setView] = useUrlState(DEFAULTS);
  const ids = [...new Set(view.job)].slice(0, MOST);
  const dark = useComputedColorScheme('light') === 'dark';
  const jobs = useJobsByIds(ids);
  const found = jobs.map(({ data }) => data);
  const bests = useBestTasks(found, Math.min(Math.max(view.best, 1), 5));
  const tasks = bests.flatMap(({ data = [] }) => data);
  const curves = useCurvesOf(tasks.map(({ id }) => id));
  const columns: Column[] = tasks.flatMap((task, place) => {
    const job = found.find((one) => one?.id === task.job);
    return job ? [{ job, task, color: seriesColor(place, dark), curves: curves[place]?.data ?? [] }] : [];
  });
  const shown = found.filter((job) => job !== undefined);
  const add = (id: string) => setView({ job: [...ids, id] });
  const remove = (id: string) => setView({ job: ids.filter((one) => !id.startsWith(one)) });
  const error = [...jobs, ...bests].find((one) => one.error)?.error;
  return (
    <Page title="Compare jobs" actions={ids.length < MOST && <AddJob known={shown} onAdd={add} />}>
      {error && <ErrorPanel error={error} title="Not all jobs can be shown" />}
      {shown.length === 0 ? (
        ids.length === 0 ? (
          <EmptyState
            icon={IconCompare}
            title="Nothing to compare yet"
            actions={
              <Button component={Link} href="/">
                Choose jobs
              </Button>
            }
          >
            Choose several jobs in the list and press Compare, or add one here by its name.
          </EmptyState>
        ) : (
          !error && <Waiting />
        )
      ) : (
        <Stack gap="md">
          <SegmentedControl
            size="xs"
            className={styles.count}
            aria-label="Tasks of each job"
            value={String(view.best)}
            data={COUNTS.map((value) => ({ value, label: value === '1' ? 'Best task of each' : `Best ${value}` }))}
            onChange={(best) => setView({ best: Number(best) })}
          />
          <Compared jobs={shown} columns={columns} view={view} setView={setView} onRemove={remove} />
        </Stack>
      )}
    </Page>
  );
}

interface ComparedProps {
  jobs: JobDetail[];
  columns: Column[];
  view: { metric: string; all: boolean };
  setView: (change: { metric?: string; all?: boolean }) => void;
  onRemove: (id: string) => void;
}

function Compared({ jobs, columns, view, setView, onRemove }: ComparedProps) {
  const { team } = useMe();
  const highlight = useHighlight();
  const names = metricNames(
    columns.map(({ curves }) => curves),
    jobs,
  );
  const metric = names.includes(view.metric) ? view.metric : (names[0] ?? '');
  const rows = paramRows(columns.map(({ task }) => task));
  const differing = rows.filter(({ differs }) => differs);
  return (
    <>
      <Chart columns={columns} metric={metric} names={names} highlight={highlight} onMetric={setView} />
      <section className={`app-panel ${comparison.compare}`} aria-label="Comparison">
        <table>
          <thead>
            <tr>
              <th scope="col">{plural(jobs.length, 'job')}</th>
              {jobs.map((job) => {
                const count = Math.max(columns.filter((one) => one.job.id === job.id).length, 1);
                return (
                  <th key={job.id} scope="colgroup" colSpan={count} className={styles.job}>
                    <Link className="app-link" href={`/jobs/${job.id}`}>
                      {job.name || job.id}
                    </Link>
                    <ActionIcon
                      size="sm"
                      variant="subtle"
                      color="gray"
                      aria-label={`Leave out ${job.name || job.id}`}
                      onClick={() => onRemove(job.id)}
                    >
                      <IconClose size={13} />
                    </ActionIcon>
                    {team && (
                      <div className={styles.owner}>
                        <Owner name={job.owner} size={16} />
                      </div>
                    )}
                    <StateBar counts={job.counts} height={5} />
                  </th>
                );
              })}
            </tr>
            <tr>
              <th scope="col">task</th>
              {byJob(jobs, columns, (column) => (
                <th
                  key={column.task.id}
                  scope="col"
                  onPointerEnter={() => highlight.set(column.task.id)}
                  onPointerLeave={() => highlight.set(null)}
                >
                  <span className={styles.swatch} style={{ background: column.color }} />
                  <Link className="app-link" href={`/tasks/${column.task.id}`}>
                    task {column.task.number}
                  </Link>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(view.all ? rows : differing).map(({ name, texts, differs }) => (
              <tr key={name} className={differs ? comparison.differs : comparison.same}>
                <th scope="row">{name}</th>
                {byJob(jobs, columns, ({ task }, place) => (
                  <td key={task.id} title={texts[place]}>
                    {texts[place]}
                  </td>
                ))}
              </tr>
            ))}
            {names.map((name) => (
              <Metric key={name} name={name} jobs={jobs} columns={columns} />
            ))}
            <tr>
              <th scope="row">state</th>
              {byJob(jobs, columns, ({ task }) => (
                <td key={task.id}>
                  <StateBadge state={task.state} stopping={task.stopping} />
                </td>
              ))}
            </tr>
            <tr>
              <th scope="row">duration</th>
              {byJob(jobs, columns, ({ task }) => (
                <td key={task.id}>{task.started_at && <Elapsed from={task.started_at} to={task.ended_at} />}</td>
              ))}
            </tr>
            <tr>
              <th scope="row">CPU time</th>
              {byJob(jobs, columns, ({ task }) => (
                <td key={task.id}>{duration(task.cpu_seconds)}</td>
              ))}
            </tr>
          </tbody>
        </table>
        {rows.length > differing.length && (
          <Button size="compact-xs" variant="subtle" m="xs" onClick={() => setView({ all: !view.all })}>
            {view.all
              ? 'Only parameters that differ'
              : `Also the ${plural(rows.length - differing.length, 'parameter')} that all have in common`}
          </Button>
        )}
      </section>
    </>
  );
}

/** One cell per task in the order of the jobs, and an empty one for a job that has none yet. */
function byJob(
  jobs: JobDetail[],
  columns: Column[],
  cell: (column: Column, place: number) => ReactElement,
): ReactElement[] {
  return jobs.flatMap((job) => {
    const own = columns.flatMap((column, place) => (column.job.id === job.id ? [cell(column, place)] : []));
    return own.length ? own : [<td key={job.id}>–</td>];
  });
}

/** The best value of a metric (smallest and largest where nobody says which is better), and the last. */
function Metric({ name, jobs, columns }: { name: string; jobs: JobDetail[]; columns: Column[] }) {
  const goal = goalOf(
    name,
    jobs,
    columns.flatMap(({ curves }) => curves),
  );
  const all = columns.map(({ curves }) => figures(curves.find(({ metric }) => metric === name)));
  const rows = goal === null ? [['smallest', 'min'] as const, ['largest', 'max'] as const] : [['best', goal] as const];
  return [...rows, ['last', 'last'] as const].map(([word, key]) => {
    const values = all.map((one) => one[key]);
    const best = bestPlaces(values, goal);
    return (
      <tr key={key}>
        <th scope="row">
          {word} {name}
        </th>
        {byJob(jobs, columns, ({ task }, place) => (
          <td key={task.id} className={best.has(place) ? styles.best : undefined}>
            {number(values[place], 5)}
          </td>
        ))}
      </tr>
    );
  });
}

interface ChartProps {
  columns: Column[];
  metric: string;
  names: string[];
  highlight: Highlight;
  onMetric: (change: { metric: string }) => void;
}

function Chart({ columns, metric, names, highlight, onMetric }: ChartProps) {
  const several = new Set(columns.map(({ job }) => job.id)).size > 1;
  const lines = columns.flatMap(({ job, task, color, curves }) => {
    const curve = curves.find((one) => one.metric === metric);
    const label = several ? `${job.name || job.id}, task ${task.number}` : `task ${task.number}`;
    return curve ? [{ id: task.id, label, color, steps: curve.steps, values: curve.values }] : [];
  });
  const key = JSON.stringify(
    lines.map(({ id, label, color, steps }) => [id, label, color, steps.length, steps.at(-1)]),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same array while no curve has moved
  const series = useMemo(() => lines, [key, metric]);
  return (
    <CurveChart
      title={metric || 'Curves'}
      series={series}
      highlight={highlight}
      tools={
        names.length > 1 && (
          <Select
            size="xs"
            aria-label="Metric"
            allowDeselect={false}
            searchable={names.length > 8}
            data={names}
            value={metric}
            onChange={(name) => name && onMetric({ metric: name })}
          />
        )
      }
    />
  );
}

/** Another job, found by a part of its name. */
function AddJob({ known, onAdd }: { known: JobDetail[]; onAdd: (id: string) => void }) {
  const [text, setText] = useState('');
  const [q] = useDebouncedValue(text, 200);
  const { data } = useJobs({ limit: 30, ...(q.trim() ? { q: q.trim() } : {}) });
  const others = (data?.items ?? []).filter(({ id }) => known.every((job) => job.id !== id));
  return (
    <Select
      aria-label="Add a job"
      placeholder="Add a job"
      w={300}
      searchable
      value={null}
      searchValue={text}
      onSearchChange={setText}
      filter={({ options }) => options}
      nothingFoundMessage="No job matches"
      data={others.map(({ id, name }) => ({ value: id, label: name ? `${name} (${id})` : id }))}
      onChange={(id) => {
        if (id) onAdd(id);
        setText('');
      }}
    />
  );
}
