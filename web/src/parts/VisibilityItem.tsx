import { Menu } from '@mantine/core';
import { useEditJob } from '../api/jobs';
import { useMe } from '../api/me';
import type { Job } from '../api/types';
import { IconLock, IconUnlock } from './icons';
import { failed } from './notify';

/** Who sees a job, in its menu. Without a team there is nobody to hide it from. */
export function VisibilityItem({ job }: { job: Job }) {
  const { team, can } = useMe();
  const edit = useEditJob(job.id);
  if (!team || !can('edit', job)) return null;
  const isPrivate = job.visibility === 'private';
  return (
    <Menu.Item
      leftSection={isPrivate ? <IconUnlock /> : <IconLock />}
      onClick={() => edit.mutate({ visibility: isPrivate ? 'team' : 'private' }, { onError: failed })}
    >
      {isPrivate ? 'Show to the team' : 'Make private'}
    </Menu.Item>
  );
}
