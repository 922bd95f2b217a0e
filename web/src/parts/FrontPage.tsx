import { Container, Group, Paper, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A page for somebody who is not in yet: one panel, and nothing to wander off to. */
export function FrontPage({ title, wide = false, children }: { title: string; wide?: boolean; children: ReactNode }) {
  return (
    <Container size={wide ? 720 : 440} pt={wide ? '8vh' : '15vh'} pb="xl" component="main">
      <Paper withBorder p="xl" radius="md" className="app-panel">
        <Stack>
          <Group gap="sm" wrap="nowrap">
            <img src="/favicon.svg" alt="" width={30} height={30} />
            <Title order={1}>{title}</Title>
          </Group>
          {children}
        </Stack>
      </Paper>
    </Container>
  );
}
