import { NumberInput, Select, SimpleGrid } from '@mantine/core';
import { useHealth } from '../../api/queries';
import { useForm, useNumber } from './form';

/** What one task needs, and how many run at a time. */
export function ResourceFields() {
  const { draft, set, wrong } = useForm();
  const number = useNumber();
  const backends = Object.keys(useHealth().data?.backends ?? {});
  const offered = draft.backend && !backends.includes(draft.backend) ? [...backends, draft.backend] : backends;
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
      <NumberInput label="GPUs a task" placeholder="1 where there are any" {...number('gpus', 'resources.gpus')} />
      <NumberInput label="CPUs a task" placeholder="1" {...number('cpus', 'resources.cpus')} />
      <NumberInput label="Tasks at a time" placeholder="as many as fit" {...number('parallel', 'parallel')} />
      {(offered.length > 1 || wrong['resources.backend']) && (
        <Select
          label="Backend"
          placeholder="the server’s default"
          data={offered}
          value={draft.backend || null}
          onChange={(backend) => set({ backend: backend ?? '' })}
          error={wrong['resources.backend']}
          data-field="resources.backend"
          clearable
        />
      )}
    </SimpleGrid>
  );
}
