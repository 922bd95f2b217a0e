import { SimpleGrid, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useFacets } from '../../api/jobs';
import { useMe } from '../../api/me';
import { useForm, useText } from './form';
import { Section } from './Section';

export function BasicsSection() {
  const { draft, set, wrong } = useForm();
  const text = useText();
  const { team } = useMe();
  const facets = useFacets();
  return (
    <Section title="Job">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <TextInput label="Name" maxLength={200} {...text('name', 'name')} />
        <TagsInput
          label="Tags"
          placeholder={draft.tags.length ? '' : 'Enter after each'}
          data={facets.data?.tags ?? []}
          value={draft.tags}
          onChange={(tags) => set({ tags })}
          error={wrong.tags}
          data-field="tags"
          acceptValueOnBlur
        />
      </SimpleGrid>
      <Textarea
        label="Description"
        placeholder="What is tried, and why"
        autosize
        minRows={1}
        maxRows={8}
        {...text('description', 'description')}
      />
      {team && (
        <Switch
          label="Private: only you and admins see this job"
          checked={draft.isPrivate}
          onChange={(event) => set({ isPrivate: event.currentTarget.checked })}
        />
      )}
    </Section>
  );
}
