import { ActionIcon, Menu } from '@mantine/core';
import { Link } from 'wouter';
import { useEditJob, useHold } from '../../api/jobs';
import { useMe } from '../../api/me';
import type { Job } from '../../api/types';
import { IconClone, IconMenu, IconPause, IconPin, IconPlay, IconStop, IconTrash, IconUnpin } from '../../parts/icons';
import { failed } from '../../parts/notify';
import { VisibilityItem } from '../../parts/VisibilityItem';
import type { Asked } from './JobDialogs';

interface Props {
  job: Job;
  tabIndex: number;
  onAsk: (asked: Asked) => void;
}

export function JobMenu({ job, tabIndex, onAsk }: Props) {
  const { can } = useMe();
  const hold = useHold(job.id);
  const edit = useEditJob(job.id);
  if (!can('submit') && !can('stop', job)) return null; // a guest: nothing to do here
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${job.name || job.id}`} tabIndex={tabIndex}>
          <IconMenu size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {can('submit') && (
          <Menu.Item component={Link} href={`/new?from=${job.id}`} leftSection={<IconClone />}>
            Start from this job
          </Menu.Item>
        )}
        {can('edit', job) && (
          <Menu.Item
            leftSection={job.pinned ? <IconUnpin /> : <IconPin />}
            onClick={() => edit.mutate({ pinned: !job.pinned }, { onError: failed })}
          >
            {job.pinned ? 'Unpin' : 'Pin'}
          </Menu.Item>
        )}
        <VisibilityItem job={job} />
        {can('hold', job) && (
          <Menu.Item
            leftSection={job.held ? <IconPlay /> : <IconPause />}
            disabled={job.ended && !job.held}
            onClick={() => hold.mutate(!job.held, { onError: failed })}
          >
            {job.held ? 'Release' : 'Hold'}
          </Menu.Item>
        )}
        {can('stop', job) && (
          <Menu.Item leftSection={<IconStop />} disabled={job.ended} onClick={() => onAsk({ what: 'stop', job })}>
            Stop…
          </Menu.Item>
        )}
        {can('remove', job) && (
          <Menu.Item
            leftSection={<IconTrash />}
            c="var(--mantine-color-error)"
            onClick={() => onAsk({ what: 'remove', job })}
          >
            Remove…
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
