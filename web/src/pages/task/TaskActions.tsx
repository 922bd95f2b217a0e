import { Button, Group, Text, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { useMe } from '../../api/me';
import { useResizeTask, useRestartTask, useStopTask } from '../../api/tasks';
import type { JobDetail, TaskDetail } from '../../api/types';
import { type Sizes, sizesOf } from '../../lib/sizes';
import { ConfirmModal } from '../../parts/ConfirmModal';
import { IconPlay, IconRefresh, IconResize, IconStop } from '../../parts/icons';
import { done, failed } from '../../parts/notify';
import { ResizeDialog } from '../../parts/ResizeDialog';

interface Props {
  task: TaskDetail;
  job: JobDetail | undefined;
  /** The task begins anew: what is shown of an old attempt is no longer what the page is about. */
  onRestart: () => void;
}

/** Stop, restart, go on: what discards something is asked about first. */
export function TaskActions({ task, job, onRestart }: Props) {
  const { can } = useMe();
  if (!can(task.ended_at ? 'restart' : 'stop', task)) return null;
  if (task.ended_at) {
    return (
      <Group gap="xs">
        <Restart task={task} onRestart={onRestart} />
      </Group>
    );
  }
  const sizes = task.reduces ? null : sizesOf(job?.spec, task);
  return (
    <Group gap="xs">
      {sizes && can('resize', task) && <Resize task={task} sizes={sizes} />}
      <Stop task={task} />
    </Group>
  );
}

function Resize({ task, sizes }: { task: TaskDetail; sizes: Sizes }) {
  const resize = useResizeTask(task.id);
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconResize />}
        disabled={task.stopping}
        onClick={() => setAsking(true)}
      >
        Resize
      </Button>
      <ResizeDialog
        title={`GPUs of task ${task.number}`}
        sizes={sizes}
        opened={asking}
        onClose={() => setAsking(false)}
        onResize={(gpus) => resize.mutateAsync(gpus)}
      />
    </>
  );
}

function Stop({ task }: { task: TaskDetail }) {
  const stop = useStopTask(task.id);
  const [asking, setAsking] = useState(false);
  // One that only waits loses nothing.
  const onClick = () => (task.started_at ? setAsking(true) : stop.mutate(undefined, { onError: failed }));
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconStop />}
        loading={stop.isPending}
        disabled={task.stopping}
        onClick={onClick}
      >
        {task.stopping ? 'Stopping' : 'Stop'}
      </Button>
      <ConfirmModal
        opened={asking}
        title={`Stop task ${task.number}?`}
        action="Stop task"
        danger
        onClose={() => setAsking(false)}
        onConfirm={() => stop.mutateAsync()}
      >
        <Text size="sm">
          What it has written stays: log, curves, files and checkpoint. Work since the last checkpoint is lost. It can
          be restarted at any time.
        </Text>
      </ConfirmModal>
    </>
  );
}

function Restart({ task, onRestart }: Omit<Props, 'job'>) {
  const restart = useRestartTask(task.id);
  const [asking, setAsking] = useState(false);
  const next = task.attempt + 1;
  const resume = async () => {
    try {
      await restart.mutateAsync({ resume: true });
      onRestart();
      done(`Task ${task.number} goes on, as attempt ${next}`);
    } catch (error) {
      failed(error);
    }
  };
  const anew = async () => {
    await restart.mutateAsync({ resume: false });
    onRestart();
    done(`Task ${task.number} begins anew, as attempt ${next}`);
  };
  return (
    <>
      <Tooltip label="Keeps the checkpoint: a script that looks for it goes on from there">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlay />}
          loading={restart.isPending && !asking}
          onClick={resume}
        >
          Restart with resume
        </Button>
      </Tooltip>
      <Button size="xs" variant="default" leftSection={<IconRefresh />} onClick={() => setAsking(true)}>
        Restart
      </Button>
      <ConfirmModal
        opened={asking}
        title={`Restart task ${task.number} from the beginning?`}
        action="Restart"
        danger
        onClose={() => setAsking(false)}
        onConfirm={anew}
      >
        <Text size="sm">
          It runs again as attempt {next}, and <strong>its checkpoint is deleted</strong>. Logs, curves and files of
          attempts so far are kept. To go on from the checkpoint, choose “Restart with resume” instead.
        </Text>
      </ConfirmModal>
    </>
  );
}
