import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { TrialReport } from '../../../api/types';
import { integer } from '../../../lib/format';
import { paramLabel, shortValue } from '../../../lib/params';
import { StateBadge } from '../../../parts/StateBadge';
import { TaskLink } from './Lineage';
import { metricOf, namesOf, spreadText } from './lib/trials';
import type { PanelProps } from './panel';
import styles from './Search.module.css';

const FIRST = 10;

/** Configurations that ran several times: the mean of each, and how far its tasks lie apart. */
export function Repeats({ report }: PanelProps) {
  const [all, setAll] = useState(false);
  const { objectives } = report;
  const names = useMemo(() => namesOf(report), [report]);
  const sorted = useMemo(() => bestFirst(report.history, objectives[0]?.goal === 'max'), [report, objectives]);
  return (
    <section className={`app-panel ${styles.panel}`} aria-label="Repeats">
      <h2 className="app-panel-title">Repeats: mean ± standard deviation</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="app-scroll" tabIndex={0} aria-label="Repeated trials">
        <table className={`app-table ${styles.table}`}>
          <thead>
            <tr>
              <th scope="col">Trial</th>
              <th scope="col">State</th>
              {objectives.map((objective) => (
                <th key={objective.metric} scope="col">
                  {metricOf(objective)}
                </th>
              ))}
              <th scope="col">of</th>
              <th scope="col" className={styles.left}>
                Tasks
              </th>
              <th scope="col" className={styles.words}>
                Configuration
              </th>
            </tr>
          </thead>
          <tbody>
            {(all ? sorted : sorted.slice(0, FIRST)).map((trial) => (
              <tr key={trial.trial}>
                <td>{integer(trial.trial)}</td>
                <td>
                  <StateBadge state={trial.state} />
                </td>
                {objectives.map((objective, i) => (
                  <td key={objective.metric}>
                    <strong>{spreadText(trial, i)}</strong>
                  </td>
                ))}
                <td>{integer(trial.count)}</td>
                <td className={styles.left}>
                  {trial.tasks.map((task, i) => (
                    <span key={task}>
                      {i > 0 && ', '}
                      <TaskLink task={task} />
                    </span>
                  ))}
                </td>
                <td className={styles.words} title={paramLabel(trial.params, names)}>
                  {shortLabel(trial, names)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {sorted.length > FIRST && (
        <Button variant="subtle" size="compact-sm" m={8} onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show all ${sorted.length.toLocaleString('en-US')}`}
        </Button>
      )}
    </section>
  );
}

/** `lr 0.0124 · size 32` */
function shortLabel({ params }: TrialReport, names: readonly string[]): string {
  const known = names.filter((name) => name in params);
  return known.map((name) => `${name} ${shortValue(params[name])}`).join(' · ');
}

function bestFirst(history: readonly TrialReport[], up: boolean): TrialReport[] {
  const cost = ({ values: [value] }: TrialReport) => (value == null ? Number.POSITIVE_INFINITY : up ? -value : value);
  return [...history].sort((a, b) => (cost(a) === cost(b) ? a.trial - b.trial : cost(a) - cost(b)));
}
