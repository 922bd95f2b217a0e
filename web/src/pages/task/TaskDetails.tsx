import type { ReactNode } from 'react';
import { useMe } from '../../api/me';
import type { Seat, TaskDetail } from '../../api/types';
import { CopyButton } from '../../parts/CopyButton';
import { Owner } from '../../parts/Person';
import { RelativeTime } from '../../parts/RelativeTime';
import type { AttemptRow } from './lib/attempts';
import { commandText } from './lib/command';
import { coresText, gpusText, sharingText } from './lib/seat';
import styles from './task.module.css';

/** The exact command, the folder, and what it ran as. */
export function TaskDetails({ task, attempt }: { task: TaskDetail; attempt: AttemptRow | undefined }) {
  const { can } = useMe();
  const command = commandText(task.command);
  const attach = `paddock attach ${task.id}`;
  return (
    <section className="app-panel" aria-label="Details">
      <h2 className="app-panel-title">Details</h2>
      <dl className={styles.details}>
        {command && (
          <Detail name="Command" wide>
            <div className={styles.withCopy}>
              <pre className={`${styles.code} ${styles.command}`}>{command}</pre>
              <CopyButton text={command} label="Copy the command" />
            </div>
          </Detail>
        )}
        {task.folder && (
          <Detail name="Folder" wide>
            <div className={styles.withCopy} data-short>
              <span className="app-mono">{task.folder}</span>
              <CopyButton text={task.folder} label="Copy the folder" />
            </div>
          </Detail>
        )}
        {task.state === 'running' && can('attach', task) && (
          <Detail name="Attach" wide>
            <div className={styles.withCopy} data-short>
              <span className="app-mono">{attach}</span>
              <CopyButton text={attach} label="Copy the line that attaches" />
            </div>
            <small>In a terminal of yours: its own terminal if it has one, otherwise a shell beside it.</small>
          </Detail>
        )}
        <Detail name="Task">
          <span className="app-mono">{task.id}</span>
        </Detail>
        <Detail name="Owner">
          <Owner name={task.owner} />
        </Detail>
        {task.size_why && !task.ended_at && (
          <Detail name="GPUs">
            {attempt?.size}: {task.size_why}
          </Detail>
        )}
        <Detail name="Submitted">
          <RelativeTime at={task.created_at} />
        </Detail>
        {attempt?.node && <Detail name="Node">{attempt.node}</Detail>}
        {attempt?.device && <Detail name="Device">{attempt.device}</Detail>}
        {attempt?.seat && <SeatDetails seat={attempt.seat} />}
        {attempt?.pid != null && <Detail name="Process">{String(attempt.pid)}</Detail>}
        {attempt?.allocation && attempt.allocation !== task.allocation?.key && (
          <Detail name="Allocation">
            <span className="app-mono">{attempt.allocation}</span>
          </Detail>
        )}
      </dl>
    </section>
  );
}

/** Its share of the allocation: GPUs, cores, threads, and how it shares them. */
function SeatDetails({ seat }: { seat: Seat }) {
  const gpus = gpusText(seat);
  const sharing = sharingText(seat);
  return (
    <>
      {gpus && (
        <Detail name="GPU">
          {gpus}
          {sharing && <small>{sharing}</small>}
        </Detail>
      )}
      <Detail name="CPU cores">{coresText(seat.cores ?? []) || 'all of the allocation'}</Detail>
      {seat.threads != null && <Detail name="Threads">{String(seat.threads)}</Detail>}
    </>
  );
}

export function Detail({ name, wide = false, children }: { name: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={wide ? styles.wide : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
