import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMe } from '../../api/me';
import { useUrlState } from '../../lib/urlState';
import { Page } from '../../parts/Page';
import { AccountsTab } from './AccountsTab';
import { AuditTab } from './AuditTab';
import { GroupsTab } from './GroupsTab';
import { InvitesTab } from './InvitesTab';
import { TeamTab } from './TeamTab';

const DEFAULTS = { tab: 'accounts' };
const TABS: { id: string; name: string; admins?: true; shown: ReactNode }[] = [
  { id: 'accounts', name: 'Accounts', shown: <AccountsTab /> },
  { id: 'groups', name: 'Groups', admins: true, shown: <GroupsTab /> },
  { id: 'invites', name: 'Invitations', admins: true, shown: <InvitesTab /> },
  { id: 'audit', name: 'Audit', shown: <AuditTab /> },
  { id: 'team', name: 'Team', admins: true, shown: <TeamTab /> },
];

/** Who is in the team. Everybody sees the names, and what they did themselves; admins see and change all. */
export default function PeoplePage() {
  const { role } = useMe();
  const [{ tab }, setTab] = useUrlState(DEFAULTS);
  const tabs = TABS.filter(({ admins }) => role === 'admin' || !admins);
  return (
    <Page title="People">
      <Tabs
        value={tabs.some(({ id }) => id === tab) ? tab : DEFAULTS.tab}
        onChange={(next) => setTab({ tab: next ?? DEFAULTS.tab })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {tabs.map(({ id, name }) => (
            <Tabs.Tab key={id} value={id} px={{ base: 9, xs: 'md' }}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ id, shown }) => (
          <Tabs.Panel key={id} value={id}>
            {shown}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
