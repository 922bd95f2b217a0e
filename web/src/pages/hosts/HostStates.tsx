import { Button } from '@mantine/core';
import { useState } from 'react';
import { useForgetHost, useHosts, useLoseHost } from '../../api/hosts';
import { useMe } from '../../api/me';
import type { HostInfo } from '../../api/types';
import { clock, plural } from '../../lib/format';
import { ConfirmModal } from '../../parts/ConfirmModal';
import { IconAlert } from '../../parts/icons';
import waits from '../../parts/Waits.module.css';
import styles from './HostStates.module.css';

/** The hosts of a backend that take no work, and what that means; admins may declare them lost. */
export function HostStates({ backend }: { backend: string }) {
  const { role } = useMe();
  const hosts = useHosts(true).data ?? [];
  const off = hosts.filter((host) => host.backend === backend && host.state !== 'up');
  if (off.length === 0) return null;
  return (
    <ul className={`app-panel ${styles.hosts}`} aria-label={`Hosts of ${backend} that take no work`}>
      {off.map((host) => (
        <li key={host.name}>
          <IconAlert className={waits.icon} />
          <div className={waits.words}>
            <b>{host.name}</b> <span className={styles.state}>{host.state}</span> {host.reason ?? stateText(host)}
            {host.allocations ? <span className={waits.hint}>{keepsText(host)}</span> : null}
          </div>
          {role === 'admin' && <Acts host={host} />}
        </li>
      ))}
    </ul>
  );
}

/** What a state means, where the server does not say why. */
function stateText({ state, since }: HostInfo): string {
  const at = since ? ` since ${clock(since)}` : '';
  if (state === 'new') return 'It was not heard from yet.';
  if (state === 'leaving') return 'It gets nothing new; what runs there goes on to its end.';
  return at && `${state}${at}`;
}

function keepsText({ state, allocations = 0 }: HostInfo): string {
  const what = plural(allocations, 'allocation');
  if (state === 'leaving') return `It has ${what}.`;
  if (state === 'lost') return `It had ${what}: what is left of them is ended before it gets anything new.`;
  return `It keeps ${what}: nothing of it is started elsewhere until it answers or is declared lost.`;
}

/** What an admin may do with a host that does not answer. */
function Acts({ host }: { host: HostInfo }) {
  const [asked, ask] = useState<'lose' | 'forget' | null>(null);
  const lose = useLoseHost();
  const forget = useForgetHost();
  const { name, state, answers, allocations = 0, added_by: addedBy } = host;
  return (
    <div className={styles.acts}>
      {!answers && state !== 'lost' && (
        <Button size="compact-sm" variant="default" onClick={() => ask('lose')}>
          Declare lost
        </Button>
      )}
      {addedBy != null && state !== 'leaving' && (
        <Button size="compact-sm" variant="default" onClick={() => ask('forget')}>
          Forget
        </Button>
      )}
      <ConfirmModal
        opened={asked === 'lose'}
        title={`Declare ${name} lost?`}
        action="Declare lost"
        danger
        onClose={() => ask(null)}
        onConfirm={() => lose.mutateAsync(host)}
      >
        What it has counts as ended
        {allocations ? ` (${plural(allocations, 'allocation')})` : ''} and its tasks are started elsewhere, from the
        beginning if their checkpoints are only there. If the machine still runs them, they go on there unseen until it
        answers again; then they are killed before it gets anything new.
      </ConfirmModal>
      <ConfirmModal
        opened={asked === 'forget'}
        title={`Forget ${name}?`}
        action="Forget"
        onClose={() => ask(null)}
        onConfirm={() => forget.mutateAsync(host)}
      >
        It gets nothing new. What runs there goes on to its end. <code>paddock hosts add {name}</code> adds it again.
      </ConfirmModal>
    </div>
  );
}
