import { ActionIcon, Badge, Button, Group, Menu, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMe } from '../../api/me';
import { useAccounts, useEditAccount } from '../../api/people';
import type { Account } from '../../api/types';
import { fromSeconds, plural } from '../../lib/format';
import { called } from '../../lib/people';
import { CardTable } from '../../parts/CardTable';
import { ConfirmModal } from '../../parts/ConfirmModal';
import { IconEdit, IconKey, IconMenu, IconPause, IconPlay, IconPlus, IconSearch } from '../../parts/icons';
import { failed } from '../../parts/notify';
import { Loaded } from '../../parts/Page';
import { Avatar } from '../../parts/Person';
import { RelativeTime } from '../../parts/RelativeTime';
import { AddAccount, EditAccount } from './AccountForms';
import { PasswordLink } from './PasswordLink';
import styles from './People.module.css';
import { found, SOURCES } from './peopleLib';

export function AccountsTab() {
  const accounts = useAccounts();
  const { role } = useMe();
  const [text, setText] = useState('');
  const [adding, setAdding] = useState(false);
  return (
    <Loaded query={accounts} what="list of people">
      {(all) => {
        const shown = found(all, text);
        return (
          <>
            <div className={styles.bar}>
              <TextInput
                aria-label="Search people"
                placeholder="Search people"
                leftSection={<IconSearch />}
                value={text}
                onChange={(event) => setText(event.currentTarget.value)}
              />
              {role === 'admin' && (
                <Button leftSection={<IconPlus />} onClick={() => setAdding(true)}>
                  Add an account
                </Button>
              )}
            </div>
            <Text size="sm" c="dimmed" mb={6}>
              {plural(shown.length, 'person', 'people')}
            </Text>
            <AccountTable accounts={shown} admin={role === 'admin'} />
            {role === 'admin' && <AddAccount opened={adding} onClose={() => setAdding(false)} />}
          </>
        );
      }}
    </Loaded>
  );
}

const ALL = ['Name', 'Role', 'Groups'];
const ADMINS = ['Unix name', 'Signs in by', 'Last seen', ''];

function AccountTable({ accounts, admin }: { accounts: Account[]; admin: boolean }) {
  return (
    <CardTable label="Accounts" columns={admin ? [...ALL, ...ADMINS] : ALL}>
      {accounts.map((account) => (
        <Row key={account.name} account={account} admin={admin} />
      ))}
    </CardTable>
  );
}

function Row({ account, admin }: { account: Account; admin: boolean }) {
  const { name, full_name: fullName, email, role, groups = [], active = true } = account;
  return (
    <tr className={active ? undefined : styles.off}>
      <td data-wide>
        <Group gap={8} wrap="nowrap">
          <Avatar name={name} fullName={fullName} size={26} />
          <div className="app-wrap-anywhere">
            <strong>{called(account)}</strong>{' '}
            {!active && (
              <Badge size="sm" variant="default" tt="none">
                deactivated
              </Badge>
            )}
            <div>
              <small>{[fullName && name, email].filter(Boolean).join(' · ')}</small>
            </div>
          </div>
        </Group>
      </td>
      <td data-label="Role" className={styles.role}>
        {role}
      </td>
      <td data-label="Groups" className="app-wrap-anywhere">
        {groups.join(', ') || '–'}
      </td>
      {admin && <ForAdmins account={account} />}
    </tr>
  );
}

function ForAdmins({ account }: { account: Account }) {
  const { name, unix_name: unixName, source, seen_at: seenAt, active = true } = account;
  const [dialog, setDialog] = useState<'edit' | 'password' | 'deactivate' | null>(null);
  const close = () => setDialog(null);
  const edit = useEditAccount(name);
  const me = useMe();
  return (
    <>
      <td data-label="Unix name">{unixName ?? '–'}</td>
      <td data-label="Signs in by">{SOURCES[source]}</td>
      <td data-label="Last seen">{seenAt ? <RelativeTime at={fromSeconds(seenAt)} /> : 'never'}</td>
      <td className="app-acts" data-wide>
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon aria-label={`Actions for ${name}`}>
              <IconMenu size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconEdit />} onClick={() => setDialog('edit')}>
              Edit
            </Menu.Item>
            {source === 'password' && active && (
              <Menu.Item leftSection={<IconKey />} onClick={() => setDialog('password')}>
                Link for a new password
              </Menu.Item>
            )}
            {name !== me.name && active && (
              <Menu.Item leftSection={<IconPause />} onClick={() => setDialog('deactivate')}>
                Deactivate…
              </Menu.Item>
            )}
            {!active && (
              <Menu.Item leftSection={<IconPlay />} onClick={() => edit.mutate({ active: true }, { onError: failed })}>
                Activate
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
        <PasswordLink key={String(dialog)} name={name} opened={dialog === 'password'} onClose={close} />
        <EditAccount account={account} opened={dialog === 'edit'} onClose={close} />
        <ConfirmModal
          opened={dialog === 'deactivate'}
          title={`Deactivate ${name}?`}
          action="Deactivate"
          danger
          onClose={close}
          onConfirm={() => edit.mutateAsync({ active: false })}
        >
          <Text size="sm">
            {called(account)} is signed out everywhere, and their tokens stop working. Their jobs stay, and what runs
            goes on. You can activate the account again.
          </Text>
        </ConfirmModal>
      </td>
    </>
  );
}
