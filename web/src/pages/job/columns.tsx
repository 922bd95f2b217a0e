import { Link } from 'wouter';
import type { Objective, Task } from '../../api/types';
import { clock, number, secondsBetween } from '../../lib/format';
import { shortValue, valueText } from '../../lib/params';
import { IconStar } from '../../parts/icons';
import { Progress } from '../../parts/Progress';
import { Elapsed } from '../../parts/RelativeTime';
import { StateBadge } from '../../parts/StateBadge';
import { STATES } from '../../parts/states';
import type { Column } from '../../parts/VirtualTable';
import styles from './Job.module.css';
import type { Shape } from './useSweep';

/** What the table of configurations shows of each. */
export function columnsOf(
  shape: Shape,
  [first, ...others]: readonly Objective[],
  best: string | null,
  step: string,
): Column<Task>[] {
  const names = shape.varying.length ? shape.varying : shape.all;
  const metric = first?.metric ?? '';
  return [
    {
      id: 'number',
      header: '#',
      width: 62,
      align: 'end',
      sortBy: (task) => task.number,
      cell: (task) => (
        <Link className="app-link" href={`/tasks/${task.id}`} aria-label={`Task ${task.number}`}>
          {task.number}
        </Link>
      ),
    },
    ...(shape.repeated ? [TRIAL] : []),
    {
      id: 'state',
      header: 'State',
      width: 122,
      sortBy: (task) => STATES.indexOf(task.state),
      cell: (task) => <StateBadge state={task.state} stopping={task.stopping} silent={!!task.no_word_since} />,
    },
    ...(metric ? bestColumns(metric, first?.goal === 'max', best) : []),
    ...others.map((objective, i) => objectiveColumn(objective, i + 1)),
    ...names.map((name, i) => paramColumn(name, shape.widths.get(name) ?? 0, i === 0)),
    {
      id: 'progress',
      header: 'Progress',
      width: 220,
      sortBy: (task) => task.progress,
      cell: (task) => <Progress task={task} step={step} />,
    },
    {
      id: 'duration',
      header: 'Duration',
      width: 110,
      align: 'end',
      descFirst: true,
      sortBy: (task) => secondsBetween(task.started_at, task.ended_at),
      cell: (task) => task.started_at && <Elapsed from={task.started_at} to={task.ended_at} />,
    },
    {
      id: 'reason',
      header: 'Reason',
      width: 300,
      sortBy: (task) => reasonOf(task),
      cell: (task) => (
        <span className={task.state === 'error' ? styles.reason : undefined} title={reasonOf(task)}>
          {reasonOf(task)}
        </span>
      ),
    },
  ];
}

function reasonOf(task: Task): string | undefined {
  return task.no_word_since ? `no report since ${clock(task.no_word_since)}` : (task.reason ?? undefined);
}

function bestColumns(metric: string, descFirst: boolean, best: string | null): Column<Task>[] {
  return [
    {
      id: 'best',
      header: `Best ${metric}`,
      title: `The best ${metric} so far`,
      width: 132,
      align: 'end',
      descFirst,
      sortBy: (task) => task.best_value,
      cell: (task) => (
        <strong className={styles.best}>
          {task.id === best && <IconStar size={13} role="img" aria-label="best of all" aria-hidden={false} />}
          {number(task.best_value)}
        </strong>
      ),
    },
    {
      id: 'at',
      header: 'at epoch',
      width: 86,
      align: 'end',
      title: 'The epoch of the best value',
      sortBy: (task) => task.best_epoch,
      cell: (task) => number(task.best_epoch),
    },
  ];
}

const TRIAL: Column<Task> = {
  id: 'trial',
  header: 'Trial',
  title: 'Tasks with the same configuration are one trial',
  width: 72,
  align: 'end',
  sortBy: (task) => task.trial,
  cell: (task) => task.trial,
};

/** One of several objectives, after the first. */
function objectiveColumn({ metric = '', goal }: Objective, at: number): Column<Task> {
  return {
    id: `objective.${at}`,
    header: `Best ${metric}`,
    title: `The best ${metric} so far`,
    width: 132,
    align: 'end',
    descFirst: goal === 'max',
    sortBy: (task) => task.values?.[at],
    cell: (task) => <strong>{number(task.values?.[at])}</strong>,
  };
}

/** About as wide as its longest text. A task without parameters shows its purpose in the first column. */
function paramColumn(name: string, longest: number, first: boolean): Column<Task> {
  return {
    id: `param.${name}`,
    header: name,
    title: name,
    width: Math.min(Math.max(longest * 8.5 + 26, name.length * 7.5 + 40, 72), 260),
    align: 'end',
    sortBy: (task) => sortable(task.params[name]),
    cell: (task) =>
      first && task.reduces ? (
        <span title="It runs when all others have finished">reduce</span>
      ) : (
        <span title={valueText(task.params[name])}>{name in task.params && shortValue(task.params[name])}</span>
      ),
  };
}

function sortable(value: unknown): number | string | boolean | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? valueText(value) : (value as number | string | boolean);
}
