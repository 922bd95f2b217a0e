import type { JobDetail, SearchReport } from '../../../api/types';
import { duration, integer, percent, plural } from '../../../lib/format';
import { RelativeTime } from '../../../parts/RelativeTime';
import { METHOD_NAMES, STOP_NAMES } from './lib/words';
import styles from './Search.module.css';

/** How far the search is, in a line. */
export function Standing({ report, job }: { report: SearchReport; job: JobDetail }) {
  const { history, trials, searching, ended_why: why, ends_at: ends } = report;
  const stop = report.stop_early.method ?? 'none';
  return (
    <section className={`app-panel ${styles.standing}`} aria-label="Search">
      <strong>{METHOD_NAMES[report.method]}</strong>
      <span>
        {trials == null ? plural(history.length, 'trial') : `${integer(history.length)} of ${plural(trials, 'trial')}`}
        {job.held && searching && ', paused'}
      </span>
      {searching && ends && (
        <span>
          time is over <RelativeTime at={ends} />
        </span>
      )}
      {!searching && <span className="app-wrap-anywhere">{why ? `ended: ${why}` : 'ended'}</span>}
      {stop !== 'none' && (
        <span>
          {STOP_NAMES[stop]} stops early{savedText(report)}
        </span>
      )}
      {report.objectives.length > 1 && (
        <span>{plural(history.filter(({ front }) => front).length, 'trial')} on the Pareto front</span>
      )}
    </section>
  );
}

/** `: saved 61 % of the epochs, about 2 h 10 min` */
export function savedText({ saved }: SearchReport): string {
  if (!saved?.steps) return '';
  return `: saved ${percent(saved.share)} of the epochs${saved.seconds ? `, about ${duration(saved.seconds)}` : ''}`;
}
