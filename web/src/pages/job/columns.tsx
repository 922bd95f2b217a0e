import { Link } from 'wouter';
import type { Task } from '../../api/types';
import { number, secondsBetween } from '../../lib/format';
import { valueText } from '../../lib/params';
import { IconStar } from '../../parts/icons';
import { Progress } from '../../parts/Progress';
import { Elapsed } from '../../parts/RelativeTime';
import { StateBadge } from '../../parts/StateBadge';
import { STATES } from '../../parts/states';
import type { Column } from '../../parts/VirtualTable';
import styles from './Job.module.css';
import { shortValue } from './lib/rows';
import type { Shape } from './useSweep';

/** What the table of configurations shows of each. */
export function columnsOf(shape: Shape, metric: string, descFirst: boolean, best: string | null): Column<Task>[] {
  const names = shape.varying.length ? shape.varying : shape.all;
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
    {
      id: 'state',
      header: 'State',
      width: 122,
      sortBy: (task) => STATES.indexOf(task.state),
      cell: (task) => <StateBadge state={task.state} stopping={task.stopping} />,
    },
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
    ...names.map((name) => paramColumn(name, shape.widths.get(name) ?? 0)),
    {
      id: 'progress',
      header: 'Progress',
      width: 220,
      sortBy: (task) => task.progress,
      cell: (task) => <Progress task={task} />,
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
      sortBy: (task) => task.reason,
      cell: (task) => (
        <span className={task.state === 'error' ? styles.reason : undefined} title={task.reason ?? undefined}>
          {task.reason}
        </span>
      ),
    },
  ];
}

/** As wide as its longest text, about. */
function paramColumn(name: string, longest: number): Column<Task> {
  return {
    id: `param.${name}`,
    header: name,
    title: name,
    width: Math.min(Math.max(longest * 8.5 + 26, name.length * 7.5 + 40, 72), 260),
    align: 'end',
    sortBy: (task) => sortable(task.params[name]),
    cell: (task) => (
      <span title={valueText(task.params[name])}>{name in task.params && shortValue(task.params[name])}</span>
    ),
  };
}

function sortable(value: unknown): number | string | boolean | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? valueText(value) : (value as number | string | boolean);
}
