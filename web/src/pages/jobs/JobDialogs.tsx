import { Text } from '@mantine/core';
import { useRef } from 'react';
import { useStop } from '../../api/tasks';
import type { Job } from '../../api/types';
import { plural } from '../../lib/format';
import { ConfirmModal } from '../../parts/ConfirmModal';
import { done } from '../../parts/notify';
import { RemoveJob } from '../../parts/RemoveJob';
import { unendedText } from './jobsLib';

export interface Asked {
  what: 'stop' | 'remove';
  job: Job;
}

interface Props {
  asked: Asked | null;
  onClose: () => void;
}

/** Nothing is stopped or removed before a person has read what that means. */
export function JobDialogs({ asked, onClose }: Props) {
  const last = useRef(asked);
  if (asked) last.current = asked;
  const shown = last.current; // still there while the dialog fades
  if (!shown) return null;
  const { job } = shown;
  return (
    <>
      <StopDialog job={job} opened={asked?.what === 'stop'} onClose={onClose} />
      <RemoveJob job={job} opened={asked?.what === 'remove'} onClose={onClose} />
    </>
  );
}

interface DialogProps {
  job: Job;
  opened: boolean;
  onClose: () => void;
}

function StopDialog({ job, opened, onClose }: DialogProps) {
  const stop = useStop(job.id);
  const confirm = async () => {
    const { tasks } = await stop.mutateAsync({});
    done(tasks.length ? `Stopping ${plural(tasks.length, 'task')} of ${job.name}` : `${job.name} has ended already`);
  };
  return (
    <ConfirmModal opened={opened} title={`Stop ${job.name}?`} action="Stop job" onClose={onClose} onConfirm={confirm}>
      <Text size="sm">
        {unendedText(job.counts) ?? 'What has not ended'} will be stopped. Their results, logs and checkpoints so far
        are kept; they can be restarted.
      </Text>
    </ConfirmModal>
  );
}
