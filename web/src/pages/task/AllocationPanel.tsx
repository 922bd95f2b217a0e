import type { Allocation } from '../../api/types';
import { NOTHING } from '../../lib/format';
import { waitText } from '../../lib/waits';
import { BackendSilence } from '../../parts/BackendSilence';
import { CodeFold } from '../../parts/CodeFold';
import { RelativeTime } from '../../parts/RelativeTime';
import { StartTime } from '../../parts/StartTime';
import { causeWords } from './lib/words';
import { Detail } from './TaskDetails';
import styles from './task.module.css';

/** What was asked of the backend for this task, and what it last said of it. */
export function AllocationPanel({ allocation }: { allocation: Allocation }) {
  const { backend, backend_id: id, state, node, reason, starts_at: at, seen_at: seen, ended_at: ended } = allocation;
  return (
    <section className="app-panel" aria-label="Allocation">
      <h2 className="app-panel-title">Allocation</h2>
      <dl className={styles.details}>
        <Detail name="Backend">{backend}</Detail>
        {allocation.script && (
          <Detail name={`Id in ${backend}`}>{id ? <span className="app-mono">{id}</span> : NOTHING}</Detail>
        )}
        <Detail name="State">{state}</Detail>
        <Detail name="Node">{node ?? NOTHING}</Detail>
        {at && !ended && state !== 'running' && (
          <Detail name="Expected to start">
            <StartTime at={at} />
          </Detail>
        )}
        {allocation.leaves_at && !ended && (
          <Detail name="Makes way">
            <StartTime at={allocation.leaves_at} />
          </Detail>
        )}
        <Detail name="Asked for">
          <RelativeTime at={allocation.created_at} />
        </Detail>
        {ended ? (
          <Detail name="Ended">
            <RelativeTime at={ended} />
            {allocation.cause && `: ${causeWords(allocation.cause).title}`}
          </Detail>
        ) : (
          seen && (
            <Detail name="Last seen">
              <RelativeTime at={seen} />
            </Detail>
          )
        )}
        <Detail name="Name">
          <span className="app-mono">{allocation.key}</span>
        </Detail>
        {reason && (
          <Detail name={state === 'ended' ? 'Why it ended' : state === 'running' ? 'Note' : 'Why it waits'} wide>
            {waitText({ reason })}
          </Detail>
        )}
      </dl>
      {(allocation.script || !ended) && (
        <div className={styles.below}>
          {!ended && <BackendSilence backend={backend} seenAt={seen} />}
          {allocation.script && (
            <CodeFold title="Batch script" text={allocation.script} copyLabel="Copy the batch script" />
          )}
        </div>
      )}
    </section>
  );
}
