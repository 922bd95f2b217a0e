import { memo } from 'react';
import { Link } from 'wouter';
import type { JobDetail, Outline } from '../../api/types';
import { number, plural } from '../../lib/format';
import type { Highlight } from '../../lib/highlight';
import { isJudged, rowName, stepName } from '../../lib/objective';
import { valueText } from '../../lib/params';
import comparison from '../../parts/comparison.module.css';
import { ParamValue } from '../../parts/ParamValue';
import { Elapsed } from '../../parts/RelativeTime';
import { StateBadge } from '../../parts/StateBadge';
import styles from './Job.module.css';
import type { Sweep } from './useSweep';

interface Props {
  job: JobDetail;
  tasks: Outline[];
  sweep: Sweep;
  highlight: Highlight;
}

const MOST = 12;

/** Chosen configurations side by side; what differs between them stands out. */
export const Compare = memo(function Compare({ job, tasks, sweep, highlight }: Props) {
  const { shape, colors } = sweep;
  const shown = tasks.slice(0, MOST);
  const names = shape.varying.length ? shape.varying : shape.all;
  return (
    <section className={`app-panel ${comparison.compare}`} aria-label="Comparison">
      <table>
        <thead>
          <tr>
            <th scope="col">{plural(tasks.length, rowName(job))}</th>
            {shown.map((task) => (
              <th
                key={task.id}
                scope="col"
                onPointerEnter={() => highlight.set(task.id)}
                onPointerLeave={() => highlight.set(null)}
              >
                <span className={styles.swatch} style={{ background: colors.get(task.id) }} />
                <Link className="app-link" href={`/tasks/${task.id}`}>
                  task {task.number}
                </Link>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((name) => {
            const texts = shown.map(({ params }) => (name in params ? valueText(params[name]) : ''));
            const differs = texts.some((text) => text !== texts[0]);
            return (
              <tr key={name} className={differs ? comparison.differs : comparison.same}>
                <th scope="row">{name}</th>
                {shown.map(({ id }, i) => (
                  <td key={id} title={texts[i]}>
                    {texts[i] && <ParamValue value={shown[i]?.params[name]} whole />}
                  </td>
                ))}
              </tr>
            );
          })}
          <tr>
            <th scope="row">state</th>
            {shown.map(({ id, state, stopping }) => (
              <td key={id}>
                <StateBadge state={state} stopping={stopping} />
              </td>
            ))}
          </tr>
          {isJudged(job) && (
            <>
              <tr>
                <th scope="row">best {job.objective.metric}</th>
                {shown.map(({ id, best_value }) => (
                  <td key={id}>
                    <strong>{number(best_value, 5)}</strong>
                  </td>
                ))}
              </tr>
              <Values name="at epoch" tasks={shown} of={({ best_epoch }) => number(best_epoch)} />
              <Values
                name={`last ${job.objective.metric}`}
                tasks={shown}
                of={({ last_value }) => number(last_value, 5)}
              />
            </>
          )}
          <Values name={`last ${stepName(job)}`} tasks={shown} of={({ epoch }) => number(epoch)} />
          <tr>
            <th scope="row">duration</th>
            {shown.map(({ id, started_at, ended_at }) => (
              <td key={id}>{started_at && <Elapsed from={started_at} to={ended_at} />}</td>
            ))}
          </tr>
        </tbody>
      </table>
      {tasks.length > MOST && (
        <p className={styles.moreTasks}>
          The first {MOST} of {tasks.length.toLocaleString('en-US')}; the graph shows all of them.
        </p>
      )}
    </section>
  );
});

function Values({ name, tasks, of }: { name: string; tasks: Outline[]; of: (task: Outline) => string }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      {tasks.map((task) => (
        <td key={task.id}>{of(task)}</td>
      ))}
    </tr>
  );
}
