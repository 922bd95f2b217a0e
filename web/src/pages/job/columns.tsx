import { Link } from 'wouter';
import type { Objective, Outline, Waits } from '../../api/types';
import { clock, number, secondsBetween } from '../../lib/format';
import { valueText } from '../../lib/params';
import { waitSentence } from '../../lib/waits';
import { IconNote, IconStar } from '../../parts/icons';
import { ParamValue } from '../../parts/ParamValue';
import { Progress } from '../../parts/Progress';
import { Elapsed } from '../../parts/RelativeTime';
import { StateBadge } from '../../parts/StateBadge';
import { STATES } from '../../parts/states';
import type { Column } from '../../parts/VirtualTable';
import styles from './Job.module.css';
import { Swatch } from './Swatch';
import { spreadText } from './search/lib/trials';
import type { Means } from './useMeans';
import type { Shape } from './useSweep';

interface Repeats {
  means: Means;
  bestTrial: number | null;
}

const NO_REPEATS: Repeats = { means: new Map(), bestTrial: null };

/** What the table of configurations shows of each. */
export function columnsOf(
  shape: Shape,
  [first, ...others]: readonly Objective[],
  best: string | null,
  step: string,
  /** Why tasks that have not started wait. */
  waits: Waits | null | undefined,
  /** What was chosen: columns besides, and after a minus those that are hidden. */
  chosen: readonly string[] = [],
  /** Where configurations run several times. */
  repeats: Repeats = NO_REPEATS,
): Column<Outline>[] {
  const hidden = new Set(chosen.filter((one) => one.startsWith('-')).map((one) => one.slice(1)));
  const besides = chosen.filter((one) => !one.startsWith('-'));
  const shown = usualColumns(shape, [first, ...others], best, step, waits, repeats).filter(({ id }) => !hidden.has(id));
  const place = shown.findIndex(({ id }) => id === 'progress');
  const more = besides
    .filter((id) => shown.every((column) => column.id !== id))
    .map((id) => (id.startsWith('param.') ? paramColumn(id.slice('param.'.length), 8, false) : measuredColumn(id)));
  return place < 0 ? [...shown, ...more] : [...shown.slice(0, place), ...more, ...shown.slice(place)];
}

function usualColumns(
  shape: Shape,
  [first, ...others]: readonly (Objective | undefined)[],
  best: string | null,
  step: string,
  waits: Waits | null | undefined,
  { means, bestTrial }: Repeats,
): Column<Outline>[] {
  const names = shape.varying.length ? shape.varying : shape.all;
  const metric = first?.metric ?? '';
  return [
    {
      id: 'number',
      header: '#',
      width: 88,
      align: 'end',
      sortBy: (task) => task.number,
      cell: (task) => (
        <span className={styles.number}>
          <Swatch id={task.id} />
          {task.noted && (
            <IconNote size={12} role="img" aria-label={`Task ${task.number} has a note`} aria-hidden={false} />
          )}
          <Link className="app-link" href={`/tasks/${task.id}`} aria-label={`Task ${task.number}`}>
            {task.number}
          </Link>
        </span>
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
    ...(metric && shape.repeated ? [meanColumn(metric, first?.goal === 'max', means, bestTrial)] : []),
    ...(metric ? bestColumns(metric, first?.goal === 'max', shape.repeated ? null : best) : []),
    ...others.map((objective, i) => objectiveColumn(objective ?? {}, i + 1)),
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
      sortBy: (task) => task.reason,
      cell: (task) => (
        <span className={task.state === 'error' ? styles.reason : undefined} title={reasonOf(task, waits)}>
          {reasonOf(task, waits)}
        </span>
      ),
    },
  ];
}

function reasonOf(task: Outline, waits: Waits | null | undefined): string | undefined {
  if (task.no_word_since) return `no report since ${clock(task.no_word_since)}`;
  if (task.state === 'submitted' && waits && !task.stopping) {
    const why = waitSentence(waits);
    return task.reason ? `${task.reason}; ${why}` : why;
  }
  return task.reason ?? undefined;
}

function bestColumns(metric: string, descFirst: boolean, best: string | null): Column<Outline>[] {
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

/** What a configuration comes to over its tasks. */
function meanColumn(metric: string, descFirst: boolean, means: Means, best: number | null): Column<Outline> {
  return {
    id: 'mean',
    header: `Mean ${metric}`,
    title: `The mean of the best ${metric} over all tasks of the configuration, and its standard deviation`,
    width: 168,
    align: 'end',
    descFirst,
    sortBy: (task) => means.get(task.trial)?.values[0],
    cell: (task) => {
      const mean = task.reduces ? undefined : means.get(task.trial);
      return (
        <strong className={styles.best}>
          {task.trial === best && !task.reduces && (
            <IconStar size={13} role="img" aria-label="best configuration" aria-hidden={false} />
          )}
          {mean && spreadText(mean)}
        </strong>
      );
    },
  };
}

const TRIAL: Column<Outline> = {
  id: 'trial',
  header: 'Config.',
  title: 'The number of the configuration: tasks with the same one repeat it',
  width: 84,
  align: 'end',
  sortBy: (task) => task.trial,
  cell: (task) => task.trial,
};

/** The last or best value of a metric: `last.loss`. */
function measuredColumn(id: string): Column<Outline> {
  const name = columnName(id);
  return {
    id,
    header: name,
    title: name,
    width: Math.min(Math.max(name.length * 7.5 + 34, 90), 220),
    align: 'end',
    sortBy: (task) => task.measured?.[id],
    cell: (task) => number(task.measured?.[id]),
  };
}

/** `Last loss` for `last.loss`. */
export function columnName(id: string): string {
  const [, kind, metric] = /^(last|best|min|max)\.(.+)$/.exec(id) ?? [];
  return kind && metric ? `${kind.charAt(0).toUpperCase()}${kind.slice(1)} ${metric}` : id;
}

/** One of several objectives, after the first. */
function objectiveColumn({ metric = '', goal }: Objective, at: number): Column<Outline> {
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
function paramColumn(name: string, longest: number, first: boolean): Column<Outline> {
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
        <span title={valueText(task.params[name])}>
          {name in task.params && <ParamValue value={task.params[name]} />}
        </span>
      ),
  };
}

function sortable(value: unknown): number | string | boolean | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? valueText(value) : (value as number | string | boolean);
}
