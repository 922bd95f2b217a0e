import { TagsInput, Text } from '@mantine/core';
import { useJobs } from '../../api/jobs';
import { useForm } from './form';

/** Past jobs to learn from, by their ids. */
export function WarmStartField() {
  const { draft, set, wrong } = useForm();
  const jobs = useJobs({ limit: 50 }).data?.items ?? [];
  const names = new Map(jobs.map(({ id, name }) => [id, name]));
  return (
    <TagsInput
      label="Warm start"
      description="Ids of past jobs to learn from"
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      placeholder={draft.warmStart.length ? '' : 'none'}
      data={[...names.keys()]}
      // Both the id and the name can be typed.
      filter={({ options, search }) =>
        options.filter((option) => {
          const id = 'value' in option ? option.value : '';
          return `${id} ${names.get(id) ?? ''}`.toLowerCase().includes(search.trim().toLowerCase());
        })
      }
      renderOption={({ option }) => (
        <div>
          <Text size="sm" className="app-wrap-anywhere">
            {names.get(option.value) || option.value}
          </Text>
          <Text size="xs" c="dimmed" className="app-mono">
            {option.value}
          </Text>
        </div>
      )}
      maxTags={20}
      value={draft.warmStart}
      onChange={(warmStart) => set({ warmStart })}
      error={wrong['search.warm_start']}
      data-field="search.warm_start"
      acceptValueOnBlur
    />
  );
}
