import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Icon } from './icons';

interface Props {
  icon?: Icon;
  title: string;
  /** 1 where the page has no other heading. */
  order?: 1 | 2;
  /** What to do next. */
  children?: ReactNode;
  actions?: ReactNode;
}

export function EmptyState({ icon: Shown, title, order = 2, children, actions }: Props) {
  return (
    <Stack align="center" gap="xs" py={48} px="md" ta="center">
      {Shown && <Shown size={36} style={{ color: 'var(--mantine-color-dimmed)' }} strokeWidth={1.25} />}
      <Title order={order}>{title}</Title>
      {children && (
        <Text component="div" c="dimmed" maw={460} size="sm">
          {children}
        </Text>
      )}
      {actions && <div style={{ marginTop: 8 }}>{actions}</div>}
    </Stack>
  );
}
