import { Stack, Text } from '@mantine/core';
import { IconAlert } from '../../parts/icons';

export function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <Stack gap={4} role="status" aria-label="Warnings">
      {warnings.map((warning) => (
        <Text
          key={warning}
          size="sm"
          c="var(--state-stopped-fg)"
          className="app-wrap-anywhere"
          style={{ display: 'flex', gap: 6 }}
        >
          <IconAlert size={15} style={{ flex: 'none', marginTop: 3 }} />
          <span>{warning}</span>
        </Text>
      ))}
    </Stack>
  );
}
