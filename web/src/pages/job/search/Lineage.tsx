import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import type { Move } from '../../../api/types';
import { number, plural } from '../../../lib/format';
import { changesText } from '../../../lib/params';
import { PlotPanel } from '../../../parts/plots/PlotPanel';
import { LineagePlot } from '../plots/LineagePlot';
import { lineageState, numberOf } from './lib/lineage';
import type { PanelProps } from './panel';
import styles from './Search.module.css';

const FIRST = 10;
const NONE: Move[] = [];

/** Population-based training: which task went on from which, and with what values. */
export function Lineage({ job, report, tasks, sweep, highlight, onPick }: PanelProps) {
  const { moves = NONE } = report;
  const { colors, dark } = sweep;
  const state = useMemo(() => lineageState(moves, tasks, { colors }), [moves, tasks, colors]);
  return (
    <PlotPanel
      title="Lineage"
      fileTitle={`${job.name} – lineage`}
      plot={LineagePlot}
      state={state}
      dark={dark}
      highlight={highlight}
      onPick={onPick}
      height={Math.min(Math.max(tasks.length * 18, 120), 520) + 50}
      rows={() => [
        ['task', 'attempt', 'from', 'step', 'changed'],
        ...moves.map((one) => [one.task, one.attempt, one.source, one.step, changesText(one.before, one.after)]),
      ]}
      summary={`${plural(tasks.length, 'task')}, of which ${plural(moves.length, 'time', 'times')} one went on from another`}
      empty={moves.length === 0 ? 'No task has gone on from another one yet' : null}
      foot={moves.length > 0 && <Moves moves={moves} />}
    />
  );
}

/** The latest first. */
function Moves({ moves }: { moves: Move[] }) {
  const [all, setAll] = useState(false);
  const latest = [...moves].reverse();
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="app-scroll" tabIndex={0} aria-label="Moves">
        <table className={`app-table ${styles.table}`}>
          <thead>
            <tr>
              <th scope="col">Epoch</th>
              <th scope="col">Task</th>
              <th scope="col">went on from</th>
              <th scope="col" className={styles.words}>
                with
              </th>
            </tr>
          </thead>
          <tbody>
            {(all ? latest : latest.slice(0, FIRST)).map((one) => (
              <tr key={`${one.task} ${one.attempt}`}>
                <td>{number(one.step)}</td>
                <td>
                  <TaskLink task={one.task} />
                </td>
                <td>
                  <TaskLink task={one.source} />
                </td>
                <td className={styles.words}>{changesText(one.before, one.after) || 'the same values'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {moves.length > FIRST && (
        <Button variant="subtle" size="compact-sm" m={8} onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show all ${moves.length.toLocaleString('en-US')}`}
        </Button>
      )}
    </>
  );
}

export function TaskLink({ task }: { task: string }) {
  return (
    <Link className="app-link" href={`/tasks/${task}`}>
      task {numberOf(task)}
    </Link>
  );
}
