import { Link } from 'wouter';
import type { RungReport, SearchReport } from '../../../api/types';
import { integer, number } from '../../../lib/format';
import { numberOf } from './lib/lineage';
import { metricOf } from './lib/trials';
import { STOP_NAMES } from './lib/words';
import styles from './Search.module.css';
import { savedText } from './Standing';

const MOST_NAMED = 12;

/** What early stopping did: who came how far, and what was saved. */
export function Rungs({ report }: { report: SearchReport }) {
  const { rungs = [], stop_early: stop } = report;
  const saved = savedText(report).replace(/^: s/, 'S');
  const brackets = new Set(rungs.map(({ bracket }) => bracket)).size > 1;
  return (
    <section className={`app-panel ${styles.panel}`} aria-label="Early stopping">
      <h2 className="app-panel-title">Early stopping: {STOP_NAMES[stop.method ?? 'none']}</h2>
      <p className={styles.saved}>{saved ? `${saved}.` : 'Nothing has been saved yet: no task was stopped early.'}</p>
      {rungs.length === 0 ? (
        <p className={styles.empty}>No task has come to a rung yet.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section className="app-scroll" tabIndex={0} aria-label="Rungs">
          <table className={`app-table ${styles.table}`}>
            <thead>
              <tr>
                {brackets && <th scope="col">Bracket</th>}
                <th scope="col">Epoch</th>
                <th scope="col">Reached</th>
                <th scope="col">Went on</th>
                <th scope="col" aria-label="Share that went on" className={styles.grow} />
                <th scope="col" title="A value as good as this goes on">
                  Cutoff of {metricOf(report.objectives[0])}
                </th>
              </tr>
            </thead>
            <tbody>
              {rungs.map((rung) => (
                <Row key={`${rung.bracket} ${rung.step}`} rung={rung} bracket={brackets} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      <Unjudged report={report} />
    </section>
  );
}

function Row({ rung, bracket }: { rung: RungReport; bracket: boolean }) {
  const part = rung.reached ? rung.went_on / rung.reached : 0;
  return (
    <tr>
      {bracket && <td>{integer((rung.bracket ?? 0) + 1)}</td>}
      <td>{number(rung.step)}</td>
      <td>{integer(rung.reached)}</td>
      <td>{integer(rung.went_on)}</td>
      <td className={styles.grow}>
        <span className={styles.bar}>
          <span style={{ width: `${part * 100}%` }} />
        </span>
      </td>
      <td>{number(rung.cutoff, 5)}</td>
    </tr>
  );
}

function Unjudged({ report }: { report: SearchReport }) {
  const { unjudged = [], objectives } = report;
  if (unjudged.length === 0) return null;
  const named = unjudged.slice(0, MOST_NAMED);
  return (
    <p className={styles.saved}>
      These tasks report no {metricOf(objectives[0])}: they are never stopped early (
      {named.map((task, i) => (
        <span key={task}>
          {i > 0 && ', '}
          <Link className="app-link" data-inline href={`/tasks/${task}`}>
            task {numberOf(task)}
          </Link>
        </span>
      ))}
      {unjudged.length > named.length && ` and ${integer(unjudged.length - named.length)} others`}).
    </p>
  );
}
