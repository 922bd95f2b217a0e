import { Button, Group, Menu, Tooltip } from '@mantine/core';
import { memo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { exportUrl, useHold } from '../../api/jobs';
import { useMe } from '../../api/me';
import type { JobDetail } from '../../api/types';
import { plural } from '../../lib/format';
import {
  IconChevronDown,
  IconClone,
  IconDownload,
  IconEdit,
  IconExtend,
  IconLimits,
  IconPause,
  IconPlay,
  IconRefresh,
  IconStop,
  IconTrash,
} from '../../parts/icons';
import { failed } from '../../parts/notify';
import { RemoveJob } from '../../parts/RemoveJob';
import { EditJob } from './EditJob';
import { ExtendJob } from './ExtendJob';
import { LimitsJob } from './LimitsJob';
import { searchedParams } from './lib/extend';
import { useActs } from './useActs';

const LOOK = { variant: 'default', size: 'xs' } as const;
const DOWN = <IconChevronDown size={13} />;

/** All that can be done with a job. */
export const JobActions = memo(function JobActions({ job }: { job: JobDetail }) {
  const { can } = useMe();
  const [, navigate] = useLocation();
  const { ask, busy, modal } = useActs(job.id);
  const [open, setOpen] = useState<'edit' | 'extend' | 'limits' | 'remove' | null>(null);
  const hold = useHold(job.id);
  const errors = job.counts.error ?? 0;
  // A population lives side by side, and the files of a map are what they are: none can be added to them.
  const searches = job.spec.search?.method !== 'pbt' && !job.mapped;
  const grows = searches && Object.keys(searchedParams(job.spec)).length > 0;
  return (
    <Group gap={6} role="group" aria-label="Actions">
      {!job.ended && can('stop', job) && (
        <Button {...LOOK} leftSection={<IconStop />} loading={busy} onClick={() => ask({ kind: 'stop' })}>
          Stop
        </Button>
      )}
      {(!job.ended || job.held) && can('edit', job) && (
        <Tooltip
          label={
            job.held
              ? 'Start tasks again'
              : `Start no further task for now${job.searching ? ', choose no further trial' : ''}; running tasks go on`
          }
        >
          <Button
            {...LOOK}
            leftSection={job.held ? <IconPlay /> : <IconPause />}
            loading={hold.isPending}
            onClick={() => hold.mutate(!job.held, { onError: failed })}
          >
            {job.held ? 'Release' : 'Hold'}
          </Button>
        </Tooltip>
      )}
      {!job.ended && can('edit', job) && (
        <Button {...LOOK} leftSection={<IconLimits />} onClick={() => setOpen('limits')}>
          Limits
        </Button>
      )}
      {grows && can('edit', job) && (
        <Tooltip label="More trials, more time or narrower values for the search">
          <Button {...LOOK} leftSection={<IconExtend />} onClick={() => setOpen('extend')}>
            Extend
          </Button>
        </Tooltip>
      )}
      {can('restart', job) && (
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
      )}
      {!job.mapped && can('submit') && (
        <Button {...LOOK} leftSection={<IconClone />} component={Link} href={`/new?from=${job.id}`}>
          Start from this job
        </Button>
      )}
      {can('edit', job) && (
        <Button {...LOOK} leftSection={<IconEdit />} onClick={() => setOpen('edit')}>
          Edit
        </Button>
      )}
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
      {can('remove', job) && (
        <Button {...LOOK} leftSection={<IconTrash />} onClick={() => setOpen('remove')}>
          Remove
        </Button>
      )}
      {modal}
      <EditJob job={job} opened={open === 'edit'} onClose={() => setOpen(null)} />
      <ExtendJob job={job} opened={open === 'extend'} onClose={() => setOpen(null)} />
      <LimitsJob job={job} opened={open === 'limits'} onClose={() => setOpen(null)} />
      <RemoveJob job={job} opened={open === 'remove'} onClose={() => setOpen(null)} onRemoved={() => navigate('/')} />
    </Group>
  );
});
