import { NumberInput, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { useForm, useNumber } from './form';
import { YIELD_KINDS } from './lib/draft';
import { CAUSES } from './lib/words';

/** One that made room for others is tried again in any case. */
export const RETRY_CAUSES = (Object.keys(CAUSES) as (keyof typeof CAUSES)[]).filter((cause) => cause !== 'yielded');

const YIELD_WORDS = {
  auto: 'As the script: if it uses PADDOCK_CHECKPOINT_DIR',
  yes: 'They go on from where they were',
  no: 'They begin again',
};

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
      <Select
        label="When tasks make way for a reservation"
        description="Those that go on from where they were begin in shorter gaps between reservations"
        maw={420}
        data={YIELD_KINDS.map((value) => ({ value, label: YIELD_WORDS[value] }))}
        value={draft.yields}
        error={wrong.yields}
        data-field="yields"
        onChange={(value) => set({ yields: YIELD_KINDS.find((kind) => kind === value) ?? 'auto' })}
        allowDeselect={false}
      />
    </Stack>
  );
}
