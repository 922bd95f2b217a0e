import { List, Text } from '@mantine/core';
import { useRemoveJob } from '../api/jobs';
import type { CodeInfo, Job } from '../api/types';
import { bytes, plural } from '../lib/format';
import { ConfirmModal } from './ConfirmModal';
import { done } from './notify';
import { taskTotal } from './states';

interface Props {
  job: Job & { code?: CodeInfo };
  opened: boolean;
  onClose: () => void;
  onRemoved?: () => void;
}

/** Asks before a job is gone, and names what goes with it. */
export function RemoveJob({ job, opened, onClose, onRemoved }: Props) {
  const remove = useRemoveJob();
  const tasks = plural(taskTotal(job.counts), 'task');
  const files = job.code?.files ?? 0;
  const running = job.counts.running ?? 0;
  const confirm = async () => {
    await remove.mutateAsync(job.id);
    done(`${job.name} has been removed`);
    onRemoved?.();
  };
  return (
    <ConfirmModal
      opened={opened}
      title={`Remove ${job.name}?`}
      action="Remove job"
      danger
      onClose={onClose}
      onConfirm={confirm}
    >
      <Text size="sm">These are deleted, and cannot be brought back:</Text>
      <List size="sm" my="xs">
        <List.Item>
          {tasks}
          {running > 0 && `, of which ${running.toLocaleString('en-US')} are running and are stopped`}
        </List.Item>
        <List.Item>their results: metrics, curves and files written</List.Item>
        <List.Item>their logs</List.Item>
        <List.Item>their checkpoints</List.Item>
        {files > 0 && (
          <List.Item>
            the copy of the code ({plural(files, 'file')}, {bytes(job.code?.bytes)}); your own files stay
          </List.Item>
        )}
      </List>
    </ConfirmModal>
  );
}
