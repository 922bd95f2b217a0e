import { Button, Group, Modal, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/client';
import { useLimits } from '../../api/jobs';
import type { JobDetail } from '../../api/types';
import { spanText } from '../../lib/format';
import { ErrorPanel } from '../../parts/ErrorPanel';
import { done } from '../../parts/notify';
import { changedLimits } from './lib/limits';

interface Props {
  job: JobDetail;
  opened: boolean;
  onClose: () => void;
}

/** Another time limit, priority or nice value for a job that waits or runs. */
export function LimitsJob({ job, opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Limits" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Form job={job} onClose={onClose} />
    </Modal>
  );
}

/** Begins with the limits as they are when the modal opens. */
function Form({ job, onClose }: Omit<Props, 'opened'>) {
  const resources = job.spec.resources ?? {};
  const [before] = useState({
    time: spanText(resources.time_limit),
    nice: String(resources.slurm?.nice ?? ''),
    priority: String(job.priority ?? 0),
  });
  const [time, setTime] = useState(before.time);
  const [nice, setNice] = useState(before.nice);
  const [priority, setPriority] = useState(before.priority);
  const limits = useLimits(job.id);
  const fields = limits.error instanceof ApiError ? limits.error.fields : {};
  const placed = Boolean(fields.time_limit || fields.nice || fields.priority);
  const change = changedLimits(before, { time, nice, priority });
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (!change) return onClose();
    limits.mutate(change, {
      onSuccess: () => {
        done('The limits are changed');
        onClose();
      },
    });
  };
  return (
    <form onSubmit={save}>
      <Stack>
        <TextInput
          label="Time limit"
          description="Of an allocation. A task that is cut off goes on in the next one, from its checkpoint."
          placeholder={before.time || 'none of the job’s own; such as 4h or 1-00:00:00'}
          value={time}
          error={fields.time_limit}
          autoComplete="off"
          data-autofocus
          onChange={(event) => setTime(event.currentTarget.value)}
        />
        <NumberInput
          label="Priority"
          description="Among the jobs of the same owner, the highest goes first: from -100 to 100"
          value={priority}
          error={fields.priority}
          min={-100}
          max={100}
          allowDecimal={false}
          onChange={(value) => setPriority(String(value))}
        />
        <NumberInput
          label="Nice"
          description="How much priority to give up for others, where there is a scheduler"
          placeholder={before.nice || '0'}
          value={nice}
          error={fields.nice}
          hideControls
          allowNegative={false}
          allowDecimal={false}
          onChange={(value) => setNice(String(value))}
        />
        <Text size="sm" c="dimmed">
          Time and nice value apply to all allocations of the job, present and future. A scheduler may refuse more time
          for what runs already: the job then says so in a warning.
        </Text>
        {limits.error && !placed && <ErrorPanel error={limits.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={limits.isPending} disabled={!change}>
            Change
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
