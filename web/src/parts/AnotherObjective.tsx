import { Button, Group, Text } from '@mantine/core';
import { IconPlus } from './icons';

/** The button that adds an objective; `several`: there are more than one already. */
export function AnotherObjective({ several, onAdd }: { several: boolean; onAdd: () => void }) {
  return (
    <Group gap="xs">
      <Button size="compact-sm" variant="subtle" leftSection={<IconPlus size={14} />} onClick={onAdd}>
        Another objective
      </Button>
      {several && (
        <Text size="sm" c="dimmed">
          There is no single best then, but a Pareto front.
        </Text>
      )}
    </Group>
  );
}
