import { Group, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './Editor.module.css';

interface Props {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
}

export function Section({ title, aside, children }: Props) {
  return (
    <section className={`app-panel ${styles.section}`} aria-label={title}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Title order={2}>{title}</Title>
          {aside}
        </Group>
        {children}
      </Stack>
    </section>
  );
}
