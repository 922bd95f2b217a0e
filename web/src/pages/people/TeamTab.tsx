import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTurnTeam } from '../../api/people';
import { ConfirmModal } from '../../parts/ConfirmModal';
import { Joining } from './Joining';
import styles from './People.module.css';
import { RunAs } from './RunAs';

/** How the team is set up, and the way back to working alone. */
export function TeamTab() {
  const [asking, setAsking] = useState(false);
  const turn = useTurnTeam();
  const off = async () => {
    await turn.mutateAsync(false);
    location.assign('/');
  };
  return (
    <Stack maw={720}>
      <section className={`app-panel ${styles.panel}`}>
        <Title order={2} mb="xs">
          Who may join
        </Title>
        <Joining />
      </section>
      <section className={`app-panel ${styles.panel}`}>
        <Title order={2} mb="xs">
          Who runs the tasks
        </Title>
        <RunAs />
      </section>
      <section className={`app-panel ${styles.panel}`}>
        <Title order={2} mb="xs">
          Without accounts again
        </Title>
        <Text size="sm" c="dimmed">
          Whoever has the link’s token may then do everything, as before there was a team. Accounts are kept.
        </Text>
        <Group mt="sm">
          <Button variant="default" onClick={() => setAsking(true)}>
            Turn the team off…
          </Button>
        </Group>
      </section>
      <ConfirmModal
        opened={asking}
        title="Turn the team off?"
        action="Turn off"
        danger
        onClose={() => setAsking(false)}
        onConfirm={off}
      >
        <Text size="sm">
          Nobody can sign in with an account then, private jobs included: only the link that `paddock up` prints works.
          Turning the team on again brings all accounts back.
        </Text>
      </ConfirmModal>
    </Stack>
  );
}
