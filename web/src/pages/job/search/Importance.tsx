import type { SearchReport } from '../../../api/types';
import { percent } from '../../../lib/format';
import { metricOf } from './lib/trials';
import styles from './Search.module.css';

/** How much of the differences in the objective comes from each parameter. */
export function Importance({ report }: { report: SearchReport }) {
  const parts = Object.entries(report.importance);
  const most = Math.max(...parts.map(([, part]) => part), 0.01);
  const metric = metricOf(report.objectives[0]);
  return (
    <section className={`app-panel ${styles.panel}`} aria-label="Parameter importance">
      <h2 className="app-panel-title">What matters for {metric}</h2>
      {parts.length === 0 ? (
        <p className={styles.empty}>There are too few results yet to say which parameters matter.</p>
      ) : (
        <ul className={styles.bars}>
          {parts.map(([name, part]) => (
            <li key={name}>
              <span className={styles.barName} title={name}>
                {name}
              </span>
              <span>{percent(part)}</span>
              <span className={styles.bar}>
                <span style={{ width: `${(part / most) * 100}%` }} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
