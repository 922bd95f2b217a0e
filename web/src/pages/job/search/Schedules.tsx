import { SegmentedControl, Select } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Move } from '../../../api/types';
import { plural } from '../../../lib/format';
import { PlotPanel } from '../../../parts/plots/PlotPanel';
import { SchedulePlot } from '../plots/SchedulePlot';
import { movedNames, scheduleState } from './lib/schedules';
import type { PanelProps } from './panel';
import styles from './Search.module.css';

const NONE: Move[] = [];
const SCALES = [
  { value: 'log', label: 'Log' },
  { value: 'linear', label: 'Linear' },
];

/** Population-based training: the value of a parameter in each task over its epochs. */
export function Schedules({ job, report, tasks, sweep, highlight, onPick }: PanelProps) {
  const { moves = NONE } = report;
  const { colors, dark } = sweep;
  const names = useMemo(() => movedNames(moves), [moves]);
  const [chosen, setChosen] = useState('');
  const [scale, setScale] = useState('log');
  const param = names.includes(chosen) ? chosen : (names[0] ?? '');
  const state = useMemo(
    () => scheduleState(moves, tasks, param, { colors, scale }),
    [moves, tasks, param, colors, scale],
  );
  if (names.length === 0) return null;
  return (
    <PlotPanel
      title={`${param} over time`}
      fileTitle={`${job.name} – ${param} over time`}
      plot={SchedulePlot}
      state={state}
      dark={dark}
      highlight={highlight}
      onPick={onPick}
      height={300}
      rows={() => [
        ['task', 'step', 'from', param],
        ...moves.map(({ task, step, source, after }) => [task, step, source, String(after[param] ?? '')]),
      ]}
      summary={`${param} of ${plural(tasks.length, 'task')} over their epochs, changed ${plural(moves.length, 'time')}`}
      tools={
        <>
          <Select
            size="xs"
            w={150}
            aria-label="Parameter over time"
            data={names}
            value={param}
            allowDeselect={false}
            onChange={(name) => setChosen(name ?? '')}
          />
          {state.y.scale !== 'categories' && (
            <SegmentedControl size="xs" aria-label="Scale over time" data={SCALES} value={scale} onChange={setScale} />
          )}
        </>
      }
      foot={
        <ul className={styles.legend}>
          <li>
            <span aria-hidden="true">●</span> went on from another task, with another value
          </li>
        </ul>
      }
    />
  );
}
