import { Button, Group, Modal, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/client';
import { useEditJob, useFacets } from '../../api/jobs';
import type { JobDetail } from '../../api/types';
import { ErrorPanel } from '../../parts/ErrorPanel';

interface Props {
  job: JobDetail;
  opened: boolean;
  onClose: () => void;
}

export function EditJob({ job, opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Edit job" size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Form job={job} onClose={onClose} />
    </Modal>
  );
}

/** Begins with the job as it is when the modal opens; what others change meanwhile does not disturb. */
function Form({ job, onClose }: Omit<Props, 'opened'>) {
  const [name, setName] = useState(job.name);
  const [description, setDescription] = useState(job.description);
  const [tags, setTags] = useState(job.tags);
  const facets = useFacets();
  const edit = useEditJob(job.id);
  const fields = edit.error instanceof ApiError ? edit.error.fields : {};
  const wrong = (field: string) =>
    Object.entries(fields).find(([at]) => at === field || at.startsWith(`${field}.`))?.[1];
  const placed = ['name', 'description', 'tags'].some(wrong);
  const save = (event: FormEvent) => {
    event.preventDefault();
    edit.mutate({ name, description, tags }, { onSuccess: onClose });
  };
  return (
    <form onSubmit={save}>
      <Stack>
        <TextInput
          label="Name"
          value={name}
          maxLength={200}
          error={wrong('name')}
          data-autofocus
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Textarea
          label="Description"
          description="A note about the job, in Markdown"
          value={description}
          autosize
          minRows={3}
          maxRows={12}
          maxLength={20_000}
          error={wrong('description')}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <TagsInput
          label="Tags"
          description="Enter or a comma ends a tag"
          value={tags}
          data={facets.data?.tags ?? []}
          comboboxProps={{ position: 'top-start' }}
          error={wrong('tags')}
          onChange={setTags}
        />
        {edit.error && !placed && <ErrorPanel error={edit.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={edit.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
