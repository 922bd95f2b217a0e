import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { bytes, duration, NOTHING, number, secondsBetween } from '../../lib/format';
import { Elapsed, RelativeTime } from '../../parts/RelativeTime';
import { StateBadge } from '../../parts/StateBadge';
import styles from './AttemptTable.module.css';
import type { AttemptRow } from './lib/attempts';
import { roomText } from './lib/seat';

interface Props {
  rows: readonly AttemptRow[];
  /** The number of the attempt whose log and curves are shown. */
  shown: number;
  onShow: (attempt: number) => void;
}

export function AttemptTable({ rows, shown, onShow }: Props) {
  const hasGpu = rows.some(({ peak_gpu_memory: peak }) => peak != null);
  const sized = rows.some(({ size }) => size != null);
  return (
    <section className="app-panel" aria-label="Attempts">
      <h2 className="app-panel-title">Attempts</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="app-scroll" tabIndex={0} aria-label="All attempts">
        <table className={`app-table app-cards ${styles.attempts}`}>
          <thead>
            <tr>
              <th scope="col">Attempt</th>
              <th scope="col">State</th>
              <th scope="col">Started</th>
              <th scope="col">Ended</th>
              <th scope="col" className={styles.end}>
                Took
              </th>
              {sized && <th scope="col">GPUs</th>}
              <th scope="col">How it ended</th>
              <th scope="col">Where</th>
              <th scope="col" className={styles.end}>
                Peak memory
              </th>
              {hasGpu && (
                <th scope="col" className={styles.end}>
                  Peak GPU memory
                </th>
              )}
              <th scope="col" className={styles.end}>
                CPU time
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row
                key={row.number}
                row={row}
                shown={row.number === shown}
                only={rows.length === 1}
                hasGpu={hasGpu}
                sized={sized}
                onShow={onShow}
              />
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

interface RowProps {
  row: AttemptRow;
  shown: boolean;
  /** There is no other to choose. */
  only: boolean;
  /** Whether memory of GPUs was measured, in this or another attempt. */
  hasGpu: boolean;
  /** The number of its GPUs can change. */
  sized: boolean;
  onShow: (attempt: number) => void;
}

function Row({ row, shown, only, hasGpu, sized, onShow }: RowProps) {
  const room = roomText(row.room);
  const waited = row.started_at ? secondsBetween(row.created_at, row.started_at) : null;
  return (
    <tr aria-current={shown && !only ? 'true' : undefined}>
      <td data-label="Attempt">
        {only || shown ? (
          <strong>{row.number}</strong>
        ) : (
          <Anchor component="button" type="button" size="sm" onClick={() => onShow(row.number)}>
            {row.number} · show
          </Anchor>
        )}
        <small>{[shown && !only && 'shown', row.resumed && 'resumed'].filter(Boolean).join(' · ')}</small>
      </td>
      <td data-label="State">
        <StateBadge state={row.state} />
      </td>
      <td data-label="Started">
        {row.started_at ? <RelativeTime at={row.started_at} /> : NOTHING}
        {waited !== null && waited >= 1 && row.pause_seconds == null && <small>waited {duration(waited)}</small>}
        {room && <small>{`${row.started_at || row.ended_at ? 'waited' : 'waits'} for ${room}`}</small>}
        {row.source && (
          <small>
            from{' '}
            <Link className="app-link" data-inline href={`/tasks/${row.source}`}>
              task {row.source.slice(row.source.lastIndexOf('-') + 1)}
            </Link>
            {row.source_step != null && `, epoch ${number(row.source_step)}`}
          </small>
        )}
        {row.changes && <small>{row.changes}</small>}
      </td>
      <td data-label="Ended">{row.ended_at ? <RelativeTime at={row.ended_at} /> : NOTHING}</td>
      <td className={styles.end} data-label="Took">
        {row.started_at ? <Elapsed from={row.started_at} to={row.ended_at} /> : NOTHING}
      </td>
      {sized && (
        <td data-label="GPUs">
          {row.size ?? NOTHING}
          {row.pause_seconds != null && <small>the change cost {duration(row.pause_seconds)}</small>}
        </td>
      )}
      <td data-wide data-label="How it ended">
        {row.ending ?? NOTHING}
        {row.reason && <small>{row.reason}</small>}
      </td>
      <td data-label="Where">{row.where ?? NOTHING}</td>
      <td className={styles.end} data-label="Peak memory">
        {bytes(row.peak_memory)}
      </td>
      {hasGpu && (
        <td className={styles.end} data-label="Peak GPU memory">
          {bytes(row.peak_gpu_memory)}
        </td>
      )}
      <td className={styles.end} data-label="CPU time">
        {duration(row.cpu_seconds)}
      </td>
    </tr>
  );
}
