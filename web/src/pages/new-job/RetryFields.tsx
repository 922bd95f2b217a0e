import { NumberInput, SimpleGrid, Stack, Text } from '@mantine/core';
import { useForm, useNumber } from './form';
import { CAUSES } from './lib/words';

export const RETRY_CAUSES = Object.keys(CAUSES) as (keyof typeof CAUSES)[];

/** How often a task is tried again by itself, by cause. */
export function RetryFields() {
  const { draft, set, wrong } = useForm();
  const number = useNumber();
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        How often a task is tried again automatically, from its checkpoint. Empty: the server’s default.
      </Text>
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm" style={{ alignItems: 'end' }}>
        {RETRY_CAUSES.map((cause) => (
          <NumberInput
            key={cause}
            label={CAUSES[cause]}
            value={draft.retries[cause] ?? ''}
            error={wrong[`retries.${cause}`]}
            data-field={`retries.${cause}`}
            onChange={(count) => set({ retries: { ...draft.retries, [cause]: String(count) } })}
            hideControls
            allowNegative={false}
            allowDecimal={false}
          />
        ))}
      </SimpleGrid>
      <NumberInput
        label="Grace time (seconds)"
        description="How long a stopped task may take to end before it is killed"
        maw={320}
        {...number('grace', 'grace_seconds')}
        allowDecimal
      />
    </Stack>
  );
}
