import { Button, Group, NumberInput, Popover, UnstyledButton } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useMe } from '../../api/me';
import { useChangePriority } from '../../api/queue';
import type { QueuedJob } from '../../api/types';
import { ErrorPanel } from '../../parts/ErrorPanel';
import { IconEdit } from '../../parts/icons';
import styles from './Queue.module.css';

/** The priority of a job; who may change it can do so here. */
export function Priority({ job }: { job: QueuedJob }) {
  const { can } = useMe();
  const [opened, setOpened] = useState(false);
  const now = job.priority ?? 0;
  if (!can('limits', job)) return <span className={styles.figure}>{now}</span>;
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <UnstyledButton
          className={styles.priority}
          aria-label={`Priority of ${job.name || job.id}: ${now}. Change it`}
          onClick={() => setOpened(!opened)}
        >
          {now} <IconEdit size={13} />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label="Priority">
        <Form job={job} onClose={() => setOpened(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Form({ job, onClose }: { job: QueuedJob; onClose: () => void }) {
  const change = useChangePriority(job.id);
  const [value, setValue] = useState<number | string>(job.priority ?? 0);
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (Number(value) === (job.priority ?? 0)) onClose();
    else change.mutate(Number(value), { onSuccess: onClose });
  };
  return (
    <form onSubmit={save} className={styles.form}>
      <NumberInput
        label="Priority"
        description="Among the jobs of the same owner, the highest goes first: from -100 to 100"
        size="xs"
        min={-100}
        max={100}
        allowDecimal={false}
        data-autofocus
        value={value}
        onChange={setValue}
      />
      {change.error && <ErrorPanel error={change.error} />}
      <Group justify="flex-end" gap="xs" mt="xs">
        <Button size="xs" variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button size="xs" type="submit" loading={change.isPending} disabled={value === ''}>
          Change
        </Button>
      </Group>
    </form>
  );
}
