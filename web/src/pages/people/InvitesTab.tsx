import { Button, Stack, Text } from '@mantine/core';
import { useInvites, useRevokeInvite } from '../../api/people';
import type { Invite } from '../../api/types';
import { fromSeconds } from '../../lib/format';
import { CardTable } from '../../parts/CardTable';
import { failed } from '../../parts/notify';
import { Loaded } from '../../parts/Page';
import { RelativeTime } from '../../parts/RelativeTime';
import { InvitePeople } from './InvitePeople';
import styles from './People.module.css';
import { inviteState } from './peopleLib';

export function InvitesTab() {
  const invites = useInvites();
  return (
    <Stack>
      <section className={`app-panel ${styles.panel}`} aria-label="New invitation">
        <InvitePeople />
      </section>
      <Loaded query={invites} what="list of invitations">
        {(all) =>
          all.length === 0 ? (
            <Text size="sm" c="dimmed">
              No invitation is open.
            </Text>
          ) : (
            <InviteTable invites={all} />
          )
        }
      </Loaded>
    </Stack>
  );
}

const COLUMNS = ['For', 'Role', 'Groups', 'By', 'Made', 'State', ''];

function InviteTable({ invites }: { invites: Invite[] }) {
  const revoke = useRevokeInvite();
  return (
    <CardTable label="Invitations" columns={COLUMNS}>
      {invites.map((invite) => (
        <tr key={invite.id}>
          <td data-wide className="app-wrap-anywhere">
            {invite.name ? `new password of ${invite.name}` : invite.email || 'anybody with the link'}
          </td>
          <td data-label="Role" className={styles.role}>
            {invite.role}
          </td>
          <td data-label="Groups" className="app-wrap-anywhere">
            {(invite.groups ?? []).join(', ') || '–'}
          </td>
          <td data-label="By">{invite.by}</td>
          <td data-label="Made">
            <RelativeTime at={fromSeconds(invite.created_at)} />
          </td>
          <td data-label="State">
            <State invite={invite} />
          </td>
          <td className="app-acts" data-wide>
            {inviteState(invite) === 'valid' && (
              <Button
                size="compact-sm"
                variant="subtle"
                color="gray"
                loading={revoke.isPending && revoke.variables === invite.id}
                onClick={() => revoke.mutate(invite.id, { onError: failed })}
              >
                Revoke
              </Button>
            )}
          </td>
        </tr>
      ))}
    </CardTable>
  );
}

function State({ invite }: { invite: Invite }) {
  const state = inviteState(invite);
  if (state !== 'valid') return state;
  return (
    <>
      ends <RelativeTime at={fromSeconds(invite.expires_at)} />
    </>
  );
}
