import { Button, Group, Menu } from '@mantine/core';
import { memo, useState } from 'react';
import { Link } from 'wouter';
import { exportUrl } from '../../api/queries';
import type { JobDetail } from '../../api/types';
import { plural } from '../../lib/format';
import {
  IconChevronDown,
  IconClone,
  IconDownload,
  IconEdit,
  IconRefresh,
  IconStop,
  IconTrash,
} from '../../parts/icons';
import { EditJob } from './EditJob';
import { RemoveJob } from './RemoveJob';
import { useActs } from './useActs';

const LOOK = { variant: 'default', size: 'xs' } as const;
const DOWN = <IconChevronDown size={13} />;

/** All that can be done with a job. */
export const JobActions = memo(function JobActions({ job }: { job: JobDetail }) {
  const { ask, busy, modal } = useActs(job.id);
  const [open, setOpen] = useState<'edit' | 'remove' | null>(null);
  const errors = job.counts.error ?? 0;
  return (
    <Group gap={6} role="group" aria-label="Actions">
      {!job.ended && (
        <Button {...LOOK} leftSection={<IconStop />} loading={busy} onClick={() => ask({ kind: 'stop' })}>
          Stop
        </Button>
      )}
      <Menu position="bottom-start">
        <Menu.Target>
          <Button {...LOOK} leftSection={<IconRefresh />} rightSection={DOWN} loading={busy && job.ended}>
            Restart
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item disabled={errors === 0} onClick={() => ask({ kind: 'restart', failed: true })}>
            Restart failed {errors > 0 && `(${plural(errors, 'task')})`}
          </Menu.Item>
          <Menu.Item disabled={errors === 0} onClick={() => ask({ kind: 'restart', failed: true, resume: true })}>
            Restart failed, from checkpoints
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item onClick={() => ask({ kind: 'restart' })}>Restart all</Menu.Item>
          <Menu.Item onClick={() => ask({ kind: 'restart', resume: true })}>Restart all, from checkpoints</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Button {...LOOK} leftSection={<IconClone />} component={Link} href={`/new?from=${job.id}`}>
        Start from this job
      </Button>
      <Button {...LOOK} leftSection={<IconEdit />} onClick={() => setOpen('edit')}>
        Edit
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button {...LOOK} leftSection={<IconDownload />} rightSection={DOWN}>
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component="a" href={exportUrl(job.id, 'csv')} download>
            CSV table
          </Menu.Item>
          <Menu.Item component="a" href={exportUrl(job.id, 'jsonl')} download>
            JSON lines
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Button {...LOOK} leftSection={<IconTrash />} onClick={() => setOpen('remove')}>
        Remove
      </Button>
      {modal}
      <EditJob job={job} opened={open === 'edit'} onClose={() => setOpen(null)} />
      <RemoveJob job={job} opened={open === 'remove'} onClose={() => setOpen(null)} />
    </Group>
  );
});
