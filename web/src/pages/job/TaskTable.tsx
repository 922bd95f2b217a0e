import { memo, useCallback, useMemo } from 'react';
import type { Objective, Task } from '../../api/types';
import type { Highlight } from '../../lib/highlight';
import { VirtualTable } from '../../parts/VirtualTable';
import { columnsOf } from './columns';
import styles from './Job.module.css';
import type { Shape } from './useSweep';

interface Props {
  tasks: Task[];
  shape: Shape;
  objectives: readonly Objective[];
  bestTask: string | null;
  /** What tasks count. */
  step: string;
  highlight: Highlight;
  sort: string;
  onSort: (sort: string) => void;
  selected: ReadonlySet<string>;
  onSelected: (ids: Set<string>) => void;
  onOpen: (task: string) => void;
}

const idOf = (task: Task) => task.id;

/** All configurations of a job, one a row. */
export const TaskTable = memo(function TaskTable({ tasks, shape, objectives, bestTask, step, onOpen, ...rest }: Props) {
  const columns = useMemo(() => columnsOf(shape, objectives, bestTask, step), [shape, objectives, bestTask, step]);
  const open = useCallback((task: Task) => onOpen(task.id), [onOpen]);
  return (
    <VirtualTable
      label="Configurations"
      rows={tasks}
      columns={columns}
      rowId={idOf}
      height="min(640px, 80vh)"
      onOpen={open}
      empty={<div className={styles.noRows}>No configuration matches the filter.</div>}
      {...rest}
    />
  );
});
