import type { SearchReport } from '../../../api/types';
import { plural, share } from '../../../lib/format';
import { metricOf } from './lib/trials';
import styles from './Search.module.css';

/** How much of the differences in the objective comes from each parameter. */
export function Importance({ report }: { report: SearchReport }) {
  const parts = Object.entries(report.importance);
  const metric = metricOf(report.objectives[0]);
  return (
    <section className={`app-panel ${styles.panel}`} aria-label="Parameter importance">
      <h2 className="app-panel-title">What matters for {metric}</h2>
      {parts.length === 0 ? (
        <p className={styles.empty}>
          Too little is known yet: {plural(report.importance_from ?? 0, 'trial')} finished or were pruned with values;
          at least 10 are needed, with parameters and results that differ.
        </p>
      ) : (
        <ul className={styles.bars}>
          {parts.map(([name, part]) => (
            <li key={name}>
              <span className={styles.barName} title={name}>
                {name}
              </span>
              <span>{share(part)}</span>
              <span className={styles.bar}>
                <span style={{ width: `${part * 100}%` }} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
