import { Button, Group, List, Popover, Text } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useBulk } from '../../api/jobs';
import { useMe } from '../../api/me';
import type { BulkRequest, Job } from '../../api/types';
import { plural } from '../../lib/format';
import type { Right } from '../../lib/rights';
import { ConfirmModal } from '../../parts/ConfirmModal';
import { IconClose, IconCompare, IconPause, IconPin, IconStop, IconTag, IconTrash, IconUnpin } from '../../parts/icons';
import { failed, offer } from '../../parts/notify';
import { OneLineForm } from '../../parts/OneLineForm';
import { taskTotal } from '../../parts/states';
import styles from './JobList.module.css';
import { unendedText } from './jobsLib';

type Act = BulkRequest['act'];

interface Props {
  jobs: readonly Job[];
  onClear: () => void;
}

const LOOK = { variant: 'default', size: 'compact-sm' } as const;
const MOST_COMPARED = 8;
const DONE: Record<Act, string> = {
  stop: 'Stopping',
  remove: 'Removed',
  hold: 'Held',
  release: 'Released',
  pin: 'Pinned',
  unpin: 'Unpinned',
  tag: 'Tagged',
  untag: 'Untagged',
};
const BACK: Partial<Record<Act, Act>> = {
  hold: 'release',
  release: 'hold',
  pin: 'unpin',
  unpin: 'pin',
  tag: 'untag',
  untag: 'tag',
};

/** What can be done with all chosen jobs. What loses something asks first, once; all else can be undone. */
export function SelectedJobs({ jobs, onClear }: Props) {
  const { can } = useMe();
  const [, navigate] = useLocation();
  const bulk = useBulk();
  const [asked, setAsked] = useState<'stop' | 'remove' | null>(null);
  const ids = jobs.map(({ id }) => id);
  const going = jobs.filter(({ ended }) => !ended);
  // What may be done with all of them: a button that does half of what it says helps nobody.
  const all = (right: Right) => jobs.every((job) => can(right, job));
  const pinned = jobs.every((job) => job.pinned);

  const run = async (act: Act, tag?: string, of = ids) => {
    const results = await bulk.mutateAsync({ act, jobs: of, tag: tag ?? null });
    const wrong = results.filter((one) => !one.done);
    const changed = results.filter((one) => one.done).map(({ job }) => job);
    const back = BACK[act];
    offer((close) => (
      <Group justify="space-between" gap="xs">
        <span>
          {DONE[act]} {plural(changed.length, 'job')}
          {tag && `: ${tag}`}
        </span>
        {back && changed.length > 0 && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => {
              close();
              run(back, tag, changed).catch(failed);
            }}
          >
            Undo
          </Button>
        )}
      </Group>
    ));
    if (wrong.length)
      failed(new Error(`${plural(wrong.length, 'job')} not done: ${wrong[0]?.job}: ${wrong[0]?.message}`));
    if (act === 'remove') onClear();
  };
  const now = (act: Act, tag?: string) => run(act, tag).catch(failed);
  return (
    <div className={styles.chosen} role="toolbar" aria-label="Chosen jobs">
      <strong>{jobs.length.toLocaleString('en-US')} chosen</strong>
      <Button
        {...LOOK}
        leftSection={<IconCompare />}
        disabled={jobs.length < 2 || jobs.length > MOST_COMPARED}
        title={jobs.length > MOST_COMPARED ? `Up to ${MOST_COMPARED} jobs side by side` : undefined}
        onClick={() => navigate(`/compare?${ids.map((id) => `job=${id}`).join('&')}`)}
      >
        Compare
      </Button>
      {all('edit') && (
        <Button
          {...LOOK}
          leftSection={pinned ? <IconUnpin /> : <IconPin />}
          onClick={() => now(pinned ? 'unpin' : 'pin')}
        >
          {pinned ? 'Unpin' : 'Pin'}
        </Button>
      )}
      {all('edit') && <TagJobs jobs={jobs} onTag={now} />}
      {all('hold') && going.length > 0 && (
        <Button {...LOOK} leftSection={<IconPause />} onClick={() => now('hold')}>
          Hold
        </Button>
      )}
      {all('stop') && going.length > 0 && (
        <Button {...LOOK} leftSection={<IconStop />} onClick={() => setAsked('stop')}>
          Stop…
        </Button>
      )}
      {all('remove') && (
        <Button {...LOOK} leftSection={<IconTrash />} onClick={() => setAsked('remove')}>
          Remove…
        </Button>
      )}
      <Button size="compact-sm" variant="subtle" leftSection={<IconClose />} onClick={onClear}>
        Clear
      </Button>
      <ConfirmModal
        opened={asked === 'stop'}
        title={`Stop ${plural(going.length, 'job')}?`}
        action={`Stop ${plural(going.length, 'job')}`}
        onClose={() => setAsked(null)}
        onConfirm={() =>
          run(
            'stop',
            undefined,
            going.map(({ id }) => id),
          )
        }
      >
        <Names jobs={going} of={({ counts }) => unendedText(counts) ?? 'nothing runs'} />
        <Text size="sm">Results, logs and checkpoints so far are kept; stopped tasks can be restarted.</Text>
      </ConfirmModal>
      <ConfirmModal
        opened={asked === 'remove'}
        title={`Remove ${plural(jobs.length, 'job')}?`}
        action={`Remove ${plural(jobs.length, 'job')}`}
        danger
        onClose={() => setAsked(null)}
        onConfirm={() => run('remove')}
      >
        <Names jobs={jobs} of={({ counts }) => plural(taskTotal(counts), 'task')} />
        <Text size="sm">Their results, logs and checkpoints are deleted, and cannot be brought back.</Text>
      </ConfirmModal>
    </div>
  );
}

const NAMES = 6;

function Names({ jobs, of }: { jobs: readonly Job[]; of: (job: Job) => string }) {
  return (
    <List size="sm" mb="xs">
      {jobs.slice(0, NAMES).map((job) => (
        <List.Item key={job.id}>
          {job.name || job.id}: {of(job)}
        </List.Item>
      ))}
      {jobs.length > NAMES && <List.Item>and {plural(jobs.length - NAMES, 'job')} more</List.Item>}
    </List>
  );
}

function TagJobs({ jobs, onTag }: { jobs: readonly Job[]; onTag: (act: Act, tag: string) => void }) {
  const [opened, setOpened] = useState(false);
  const known = [...new Set(jobs.flatMap(({ tags }) => tags))].sort();
  const submit = (tag: string) => {
    onTag('tag', tag);
    setOpened(false);
  };
  return (
    <Popover opened={opened} onChange={setOpened} trapFocus position="bottom-start" shadow="md">
      <Popover.Target>
        <Button {...LOOK} leftSection={<IconTag />} aria-expanded={opened} onClick={() => setOpened(!opened)}>
          Tag
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <OneLineForm label="Add a tag" action="Add" onSubmit={submit} />
        {known.length > 0 && (
          <Group gap={4} mt="xs">
            <Text size="xs" c="dimmed">
              Take away
            </Text>
            {known.map((one) => (
              <button
                key={one}
                type="button"
                className={styles.tag}
                onClick={() => {
                  onTag('untag', one);
                  setOpened(false);
                }}
              >
                {one} ×
              </button>
            ))}
          </Group>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
