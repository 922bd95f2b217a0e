import { memo, useCallback, useMemo, useState } from 'react';
import { useFiles, useMeasured, useRows } from '../../api/tasks';
import type { JobDetail, Objective, Outline } from '../../api/types';
import type { Highlight } from '../../lib/highlight';
import { VirtualTable } from '../../parts/VirtualTable';
import { columnsOf } from './columns';
import styles from './Job.module.css';
import { useMeans } from './useMeans';
import type { Shape } from './useSweep';

interface Props {
  job: JobDetail;
  /** In the order of the table. */
  tasks: Outline[];
  shape: Shape;
  objectives: readonly Objective[];
  /** What tasks count. */
  step: string;
  highlight: Highlight;
  sort: string;
  onSort: (sort: string) => void;
  selected: ReadonlySet<string>;
  onSelected: (ids: Set<string>) => void;
  onOpen: (task: string) => void;
  /** Columns besides the usual ones, and after a minus those that are hidden. */
  chosen: readonly string[];
}

const idOf = (task: Outline) => task.id;
const NONE: Outline[] = [];
const MEASURED = /^(last|best|min|max)\./;

/** All configurations of a job, one a row. What is not known of all of them is fetched for the rows in sight. */
export const TaskTable = memo(function TaskTable(props: Props) {
  const { job, tasks, shape, objectives, step, onOpen, chosen, ...rest } = props;
  const [inSight, setInSight] = useState<Outline[]>(NONE);
  const known = useRows(job.id, inSight);
  const whole = useFiles(
    job,
    useMemo(() => [...known.values()], [known]),
  );
  const metrics = useMemo(() => chosen.filter((id) => MEASURED.test(id)), [chosen]);
  const measured = useMeasured(job.id, metrics, inSight);
  const rows = useMemo(() => {
    const byId = new Map((whole ?? NONE).map((task) => [task.id, task]));
    if (byId.size === 0 && measured.size === 0) return tasks;
    return tasks.map((task) => {
      const known = byId.get(task.id) ?? task;
      const values = measured.get(task.number);
      return values ? { ...known, measured: values } : known;
    });
  }, [tasks, whole, measured]);
  const best = job.best_task ?? null;
  const { waits } = job;
  const means = useMeans(job.id, shape.repeated);
  const bestTrial = job.best_trial ?? null;
  const columns = useMemo(
    () => columnsOf(shape, objectives, best, step, waits, chosen, { means, bestTrial }),
    [shape, objectives, best, step, waits, chosen, means, bestTrial],
  );
  const open = useCallback((task: Outline) => onOpen(task.id), [onOpen]);
  return (
    <VirtualTable
      label="Configurations"
      rows={rows}
      ordered
      onInSight={setInSight}
      columns={columns}
      rowId={idOf}
      height="min(640px, 80vh)"
      onOpen={open}
      empty={<div className={styles.noRows}>No configuration matches the filter.</div>}
      {...rest}
    />
  );
});
