import { type ReactNode, useCallback, useState } from 'react';
import { useRestart, useStop } from '../../api/tasks';
import type { RestartRequest } from '../../api/types';
import { plural } from '../../lib/format';
import { ConfirmModal } from '../../parts/ConfirmModal';
import { done, failed } from '../../parts/notify';

export type Act = { kind: 'stop'; tasks?: string[] } | ({ kind: 'restart' } & RestartRequest);

interface Acts {
  /** Asks first where much may be lost. */
  ask: (act: Act) => void;
  busy: boolean;
  modal: ReactNode;
}

/** Stopping and restarting tasks of a job. The server decides which of them can be stopped or restarted. */
export function useActs(job: string): Acts {
  const stop = useStop(job);
  const restart = useRestart(job);
  const [asked, setAsked] = useState<{ act: Act; opened: boolean } | null>(null);
  const { mutateAsync: doStop } = stop;
  const { mutateAsync: doRestart } = restart;

  const run = useCallback(
    async (act: Act) => {
      const { kind, ...body } = act;
      const { tasks } = await (kind === 'stop' ? doStop(body) : doRestart(body));
      const none = kind === 'stop' ? 'Nothing to stop: all have ended.' : 'Nothing to restart: none of them has ended.';
      done(tasks.length ? `${plural(tasks.length, 'task')} ${kind === 'stop' ? 'will stop' : 'restarted'}` : none);
    },
    [doStop, doRestart],
  );
  const ask = useCallback(
    (act: Act) => {
      if (act.kind === 'restart' && act.failed) run(act).catch(failed);
      else setAsked({ act, opened: true });
    },
    [run],
  );
  const modal = asked && (
    <ConfirmModal
      opened={asked.opened}
      title={title(asked.act)}
      action={asked.act.kind === 'stop' ? 'Stop' : 'Restart'}
      danger={asked.act.kind === 'stop'}
      onClose={() => setAsked({ ...asked, opened: false })}
      onConfirm={() => run(asked.act)}
    >
      {words(asked.act)}
    </ConfirmModal>
  );
  return { ask, busy: stop.isPending || restart.isPending, modal };
}

function title({ kind, tasks }: Act): string {
  const what = tasks ? plural(tasks.length, 'task') : kind === 'stop' ? 'the whole job' : 'all tasks';
  return `${kind === 'stop' ? 'Stop' : 'Restart'} ${what}?`;
}

function words(act: Act): string {
  const which = act.tasks ? 'Those of them that' : 'All tasks that';
  if (act.kind === 'stop')
    return `${which} have not ended are stopped; those that wait do not start${act.tasks ? '' : ', and a search chooses no further ones'}. Results so far are kept, and stopped tasks can be restarted.`;
  const how = act.resume
    ? 'go on from their last checkpoint, or from the start where there is none'
    : 'run again from the start, without their checkpoints';
  return `${which} have ended ${how}. Logs and results of earlier attempts stay readable.`;
}
