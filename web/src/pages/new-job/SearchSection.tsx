import { Autocomplete, NumberInput, Select, SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, take } from '../../api/client';
import { keys } from '../../api/keys';
import { useForm, useNumber } from './form';
import { Section } from './Section';

const GOALS = [
  { value: 'min', label: 'as small as possible' },
  { value: 'max', label: 'as large as possible' },
];
const METHODS = [
  { value: 'auto', label: 'Automatic' },
  { value: 'grid', label: 'Grid: all combinations' },
  { value: 'random', label: 'Random' },
];
const USUAL = ['val_loss', 'val_accuracy', 'val_acc', 'loss', 'accuracy'];

/** What is looked for, and how. `from`: the old job, whose metrics are known. */
export function SearchSection({ from }: { from: string | null }) {
  const { draft, set, wrong } = useForm();
  const number = useNumber();
  const known = useQuery({
    queryKey: keys.metricNames(from ?? ''),
    queryFn: ({ signal }) =>
      take(api.GET('/api/v1/jobs/{job}/metrics/names', { params: { path: { job: from ?? '' } }, signal })),
    enabled: from !== null,
  });
  return (
    <Section title="Objective and search">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <Autocomplete
          label="Metric"
          data={known.data?.length ? known.data : USUAL}
          value={draft.metric}
          onChange={(metric) => set({ metric })}
          error={wrong['objective.metric'] ?? wrong.objective}
          data-field="objective.metric"
        />
        <Select
          label="Goal"
          data={GOALS}
          value={draft.goal}
          onChange={(goal) => set({ goal: goal ?? 'min' })}
          error={wrong['objective.goal']}
          data-field="objective.goal"
          allowDeselect={false}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
        <Select
          label="Search"
          data={METHODS}
          value={draft.method}
          onChange={(method) => set({ method: method ?? 'auto' })}
          error={wrong['search.method'] ?? wrong.search}
          data-field="search.method"
          allowDeselect={false}
        />
        <NumberInput label="Trials" placeholder="20 when drawn" {...number('trials', 'search.trials')} />
        <NumberInput label="Seed" placeholder="0" {...number('seed', 'search.seed')} />
      </SimpleGrid>
    </Section>
  );
}
