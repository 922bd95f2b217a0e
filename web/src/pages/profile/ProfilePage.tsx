import { Button, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useWhoAmI } from '../../api/me';
import { useChangePassword, useEditMe } from '../../api/profile';
import type { WhoAmI } from '../../api/types';
import { isUsable } from '../../lib/password';
import { ErrorPanel } from '../../parts/ErrorPanel';
import { NewPassword } from '../../parts/NewPassword';
import { done } from '../../parts/notify';
import { Loaded, Page } from '../../parts/Page';
import { CalendarPanel } from './CalendarPanel';
import { NoticeSettings } from './NoticeSettings';
import { OldPassword } from './OldPassword';
import { Panel } from './Panel';
import { Sessions } from './Sessions';
import { Tokens } from './Tokens';

export default function ProfilePage() {
  const me = useWhoAmI();
  return (
    <Page title="Profile">
      <Loaded query={me} what="account">
        {(who) => (
          <Stack maw={900}>
            <About who={who} />
            {who.source === 'password' && <Password />}
            <NoticeSettings />
            <Sessions />
            <CalendarPanel />
            <Tokens />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function About({ who }: { who: WhoAmI }) {
  const [fullName, setFullName] = useState(who.full_name ?? '');
  const [email, setEmail] = useState(who.email ?? '');
  const [zone, setZone] = useState(who.zone ?? '');
  const edit = useEditMe();
  const save = (event: FormEvent) => {
    event.preventDefault();
    edit.mutate({ full_name: fullName, email: email.trim(), zone }, { onSuccess: () => done('Your profile is saved') });
  };
  const groups = (who.groups ?? []).join(', ');
  return (
    <Panel title="About you">
      <Text size="sm" c="dimmed" mb="sm">
        {who.name} · {who.role}
        {groups && ` · in ${groups}`}
        {who.unix_name && ` · tasks run as ${who.unix_name}`}
      </Text>
      <form onSubmit={save}>
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
          <TextInput
            label="Full name"
            autoComplete="name"
            maxLength={200}
            value={fullName}
            onChange={(event) => setFullName(event.currentTarget.value)}
          />
          <TextInput
            label="E-mail"
            autoComplete="email"
            maxLength={200}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <Select
            label="Time zone"
            placeholder={`As the browser: ${Intl.DateTimeFormat().resolvedOptions().timeZone}`}
            searchable
            clearable
            clearButtonProps={{ 'aria-label': 'As the browser' }}
            limit={60}
            data={Intl.supportedValuesOf('timeZone')}
            value={zone || null}
            onChange={(chosen) => setZone(chosen ?? '')}
            nothingFoundMessage="No such zone"
          />
        </SimpleGrid>
        {edit.error && <ErrorPanel error={edit.error} />}
        <Group mt="sm">
          <Button type="submit" variant="default" loading={edit.isPending}>
            Save
          </Button>
        </Group>
      </form>
    </Panel>
  );
}

function Password() {
  const [old, setOld] = useState('');
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const change = useChangePassword();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const onSuccess = () => {
      setOld('');
      setPassword('');
      setAgain('');
      done('Your password is changed, and your other sessions are ended');
    };
    change.mutate({ old, new: password }, { onSuccess });
  };
  return (
    <Panel title="Password">
      <form onSubmit={submit}>
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
          <OldPassword value={old} onChange={setOld} />
          <NewPassword value={password} again={again} onChange={setPassword} onAgain={setAgain} />
        </SimpleGrid>
        {change.error && <ErrorPanel error={change.error} title="The password is not changed" />}
        <Group mt="sm">
          <Button
            type="submit"
            variant="default"
            loading={change.isPending}
            disabled={!old || !isUsable(password, again)}
          >
            Change the password
          </Button>
        </Group>
      </form>
    </Panel>
  );
}
