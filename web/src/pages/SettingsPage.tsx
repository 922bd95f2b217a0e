import { Button, Code, List, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useTurnTeam } from '../api/people';
import { ownPath } from '../lib/ownPath';
import { ConfirmModal } from '../parts/ConfirmModal';
import { IconUsers } from '../parts/icons';
import { done } from '../parts/notify';
import { Page } from '../parts/Page';
import { NoticeSettings } from './profile/NoticeSettings';

/** For whoever works alone: notices, and the way to a team. */
export default function SettingsPage() {
  const [asking, setAsking] = useState(false);
  const [, navigate] = useLocation();
  const turn = useTurnTeam();
  const on = async () => {
    const { setup, backup } = await turn.mutateAsync(true);
    if (backup) done(`The database was copied to ${backup}`);
    const link = setup ? new URL(setup, location.origin) : null;
    navigate(link ? ownPath(link.pathname + link.search) : '/');
  };
  return (
    <Page title="Settings">
      <div style={{ maxWidth: 900, marginBottom: 16 }}>
        <NoticeSettings />
      </div>
      <section className="app-panel" style={{ maxWidth: 900, padding: 16 }}>
        <Title order={2} mb="xs">
          Work as a team
        </Title>
        <Text size="sm">
          Now, whoever has the link that <Code>paddock up</Code> prints may do everything. With a team:
        </Text>
        <List size="sm" my="xs">
          <List.Item>everybody signs in with an account of their own</List.Item>
          <List.Item>jobs belong to people, who may keep them private</List.Item>
          <List.Item>you are the first admin, and all jobs so far are yours</List.Item>
        </List>
        <Button leftSection={<IconUsers />} onClick={() => setAsking(true)}>
          Turn the team on…
        </Button>
      </section>
      <ConfirmModal
        opened={asking}
        title="Turn the team on?"
        action="Turn on"
        onClose={() => setAsking(false)}
        onConfirm={on}
      >
        <Text size="sm">
          The database is backed up first, and jobs go on as they are. You choose a password in the next step; the
          link’s token stays valid as the way back in.
        </Text>
      </ConfirmModal>
    </Page>
  );
}
