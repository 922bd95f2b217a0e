import { Button, Group, Menu, Tooltip } from '@mantine/core';
import { memo, type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { exportUrl, useEditJob, useHold } from '../../api/jobs';
import { useMe } from '../../api/me';
import { useResizeJob } from '../../api/tasks';
import type { JobDetail } from '../../api/types';
import { plural } from '../../lib/format';
import { sizesOf } from '../../lib/sizes';
import {
  IconChevronDown,
  IconClone,
  IconCompare,
  IconDownload,
  IconEdit,
  IconExtend,
  IconLimits,
  IconMenu,
  IconPause,
  IconPin,
  IconPlay,
  IconRefresh,
  IconResize,
  IconStop,
  IconTrash,
  IconUnpin,
} from '../../parts/icons';
import { done, failed } from '../../parts/notify';
import { RemoveJob } from '../../parts/RemoveJob';
import { ResizeDialog } from '../../parts/ResizeDialog';
import { VisibilityItem } from '../../parts/VisibilityItem';
import { EditJob } from './EditJob';
import { ExtendJob } from './ExtendJob';
import { LimitsJob } from './LimitsJob';
import { searchedParams } from './lib/extend';
import { useActs } from './useActs';

const SIZE = { size: 'xs' } as const;
const DOWN = <IconChevronDown size={13} />;

/** All that can be done with a job: what is likely now as buttons, all else in a menu. */
export const JobActions = memo(function JobActions({ job }: { job: JobDetail }) {
  const { can } = useMe();
  const [, navigate] = useLocation();
  const { ask, busy, modal } = useActs(job.id);
  const [open, setOpen] = useState<'edit' | 'extend' | 'limits' | 'resize' | 'remove' | null>(null);
  const hold = useHold(job.id);
  const edit = useEditJob(job.id);
  const errors = job.counts.error ?? 0;
  // A population lives side by side, and the files of a map are what they are: none can be added to them.
  const searches = job.spec.search?.method !== 'pbt' && !job.mapped;
  const grows = searches && Object.keys(searchedParams(job.spec)).length > 0;
  const clones = !job.mapped && can('submit');
  const from = `/new?from=${job.id}`;
  const mayEdit = can('edit', job);
  const sizes = sizesOf(job.spec);
  const resize = useResizeJob(job.id);
  const restart = can('restart', job) && (
    <>
      <Menu.Label>Restart</Menu.Label>
      <Menu.Item
        leftSection={<IconRefresh />}
        disabled={errors === 0}
        onClick={() => ask({ kind: 'restart', failed: true })}
      >
        Restart failed {errors > 0 && `(${plural(errors, 'task')})`}
      </Menu.Item>
      <Menu.Item disabled={errors === 0} onClick={() => ask({ kind: 'restart', failed: true, resume: true })}>
        Restart failed, from checkpoints
      </Menu.Item>
      <Menu.Item onClick={() => ask({ kind: 'restart' })}>Restart all</Menu.Item>
      <Menu.Item onClick={() => ask({ kind: 'restart', resume: true })}>Restart all, from checkpoints</Menu.Item>
    </>
  );
  return (
    <Group gap={6} role="group" aria-label="Actions">
      {job.ended && clones && (
        <Button {...SIZE} variant="filled" leftSection={<IconClone />} component={Link} href={from}>
          Start from this job
        </Button>
      )}
      {job.held && can('hold', job) && <HoldButton job={job} hold={hold} variant="filled" />}
      {!job.ended && can('stop', job) && (
        <Button
          {...SIZE}
          variant={job.held ? 'default' : 'filled'}
          leftSection={<IconStop />}
          loading={busy}
          onClick={() => ask({ kind: 'stop' })}
        >
          Stop
        </Button>
      )}
      {!job.ended && !job.held && can('hold', job) && <HoldButton job={job} hold={hold} variant="default" />}
      {job.ended && restart && (
        <Menu position="bottom-start">
          <Menu.Target>
            <Button {...SIZE} variant="default" leftSection={<IconRefresh />} rightSection={DOWN} loading={busy}>
              Restart
            </Button>
          </Menu.Target>
          <Menu.Dropdown>{restart}</Menu.Dropdown>
        </Menu>
      )}
      <Menu position="bottom-end" width={270}>
        <Menu.Target>
          <Button {...SIZE} variant="default" leftSection={<IconMenu />}>
            More
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {!job.ended && clones && (
            <Menu.Item leftSection={<IconClone />} component={Link} href={from}>
              Start from this job
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconCompare />} component={Link} href={`/compare?job=${job.id}`}>
            Compare with another job
          </Menu.Item>
          {mayEdit && (
            <>
              <Item icon={<IconEdit />} onClick={() => setOpen('edit')}>
                Edit name, tags and description
              </Item>
              <Item
                icon={job.pinned ? <IconUnpin /> : <IconPin />}
                onClick={() => edit.mutate({ pinned: !job.pinned }, { onError: failed })}
              >
                {job.pinned ? 'Unpin' : 'Pin to the top of the list'}
              </Item>
              {grows && (
                <Item icon={<IconExtend />} onClick={() => setOpen('extend')}>
                  Extend the search
                </Item>
              )}
              <VisibilityItem job={job} />
            </>
          )}
          {!job.ended && can('limits', job) && (
            <Item icon={<IconLimits />} onClick={() => setOpen('limits')}>
              Limits and priority
            </Item>
          )}
          {sizes && (job.counts.running ?? 0) > 0 && can('resize', job) && (
            <Item icon={<IconResize />} onClick={() => setOpen('resize')}>
              Resize the running tasks
            </Item>
          )}
          <Menu.Item leftSection={<IconDownload />} component="a" href={exportUrl(job.id, 'csv')} download>
            Export as a CSV table
          </Menu.Item>
          <Menu.Item leftSection={<IconDownload />} component="a" href={exportUrl(job.id, 'jsonl')} download>
            Export as JSON lines
          </Menu.Item>
          <Menu.Item leftSection={<IconDownload />} component="a" href={exportUrl(job.id, 'csv', 'curves')} download>
            Export all curves as CSV
          </Menu.Item>
          <Menu.Item leftSection={<IconDownload />} component="a" href={exportUrl(job.id, 'optuna')} download>
            Export as an Optuna study
          </Menu.Item>
          {!job.ended && restart}
          {can('remove', job) && (
            <>
              <Menu.Divider />
              <Menu.Item leftSection={<IconTrash />} c="var(--mantine-color-error)" onClick={() => setOpen('remove')}>
                Remove…
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {modal}
      <EditJob job={job} opened={open === 'edit'} onClose={() => setOpen(null)} />
      <ExtendJob job={job} opened={open === 'extend'} onClose={() => setOpen(null)} />
      <LimitsJob job={job} opened={open === 'limits'} onClose={() => setOpen(null)} />
      {sizes && (
        <ResizeDialog
          title="GPUs of the running tasks"
          sizes={sizes}
          opened={open === 'resize'}
          onClose={() => setOpen(null)}
          onResize={async (gpus) => {
            const { tasks } = await resize.mutateAsync(gpus);
            const has = gpus === 'auto' ? 'have as many GPUs as Paddock chooses' : `have ${plural(gpus, 'GPU')}`;
            done(tasks.length ? `${plural(tasks.length, 'task')} will ${has}` : `All ${has} already`);
          }}
        />
      )}
      <RemoveJob job={job} opened={open === 'remove'} onClose={() => setOpen(null)} onRemoved={() => navigate('/')} />
    </Group>
  );
});

function Item({ icon, onClick, children }: { icon: ReactNode; onClick: () => void; children: ReactNode }) {
  return (
    <Menu.Item leftSection={icon} onClick={onClick}>
      {children}
    </Menu.Item>
  );
}

interface HoldProps {
  job: JobDetail;
  hold: ReturnType<typeof useHold>;
  variant: 'filled' | 'default';
}

function HoldButton({ job, hold, variant }: HoldProps) {
  const label = job.held
    ? 'Start tasks again'
    : `Start no further task for now${job.searching ? ', choose no further trial' : ''}; running tasks go on`;
  return (
    <Tooltip label={label}>
      <Button
        {...SIZE}
        variant={variant}
        leftSection={job.held ? <IconPlay /> : <IconPause />}
        loading={hold.isPending}
        onClick={() => hold.mutate(!job.held, { onError: failed })}
      >
        {job.held ? 'Release' : 'Hold'}
      </Button>
    </Tooltip>
  );
}
