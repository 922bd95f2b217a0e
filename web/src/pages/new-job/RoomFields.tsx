import { NumberInput, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { useBackends, useProfiles } from '../../api/system';
import { useForm, useNumber } from './form';
import { backendOf } from './lib/resources';
import { GIVING_WORDS, GIVINGS } from './lib/room';

/** Which place a job has among others, and when its tasks make room for them. */
export function RoomFields() {
  const { draft, set, wrong } = useForm();
  const number = useNumber();
  const backend = backendOf(draft.resources, useBackends().data ?? [], useProfiles().data ?? {});
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        Which of your jobs goes first, and what happens when others wait for GPUs that this one has.
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <NumberInput
          label="Priority"
          description="-100 to 100; the highest of your jobs goes first"
          placeholder="0"
          {...number('priority', 'priority')}
          allowNegative
        />
        <Select
          label="Makes room for others"
          description="Its GPUs one by one, down to an equal share"
          placeholder="as in the server’s settings"
          clearable
          data={GIVINGS.map((value) => ({ value, label: GIVING_WORDS[value].label }))}
          value={draft.giveWay || null}
          error={wrong['elastic.give_way']}
          data-field="elastic.give_way"
          onChange={(value) => set({ giveWay: GIVINGS.find((one) => one === value) ?? '' })}
        />
        {(backend?.kind === 'slurm' || draft.keep !== '' || wrong['elastic.keep']) && (
          <NumberInput
            label="Keeps for itself"
            description="So many of its allocations stay, whoever waits"
            placeholder="as in the server’s settings"
            {...number('keep', 'elastic.keep')}
          />
        )}
      </SimpleGrid>
    </Stack>
  );
}
