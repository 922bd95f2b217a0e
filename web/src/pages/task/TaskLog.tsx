import { ActionIcon, Tooltip } from '@mantine/core';
import { type Ref, useState } from 'react';
import { useMe } from '../../api/me';
import type { TaskDetail } from '../../api/types';
import { IconDownload } from '../../parts/icons';
import { type LogHandle, LogView } from '../../parts/LogView';
import { failed } from '../../parts/notify';
import { MarkNumber } from './MarkNumber';
import { saveLog } from './saveLog';

interface Props {
  task: TaskDetail;
  attempt: number;
  ended: boolean;
  ref: Ref<LogHandle>;
}

/** Give `key={attempt}`. */
export function TaskLog({ task, attempt, ended, ref }: Props) {
  const [grows] = useState(!ended);
  const { can } = useMe();
  if (!can('read', task)) return null;
  const tools = (
    <>
      {can('edit', task) && <MarkNumber job={task.job} task={task.id} />}
      <Tooltip label="Download the whole log">
        <ActionIcon size="sm" aria-label="Download the log" onClick={() => saveLog(task.id, attempt).catch(failed)}>
          <IconDownload />
        </ActionIcon>
      </Tooltip>
    </>
  );
  return <LogView ref={ref} task={task.id} attempt={attempt} steady={grows} tools={tools} />;
}
