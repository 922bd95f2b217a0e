import { ActionIcon, Tooltip } from '@mantine/core';
import { type Ref, useState } from 'react';
import { IconDownload } from '../../parts/icons';
import { type LogHandle, LogView } from '../../parts/LogView';
import { failed } from '../../parts/notify';
import { saveLog } from './saveLog';

interface Props {
  task: string;
  attempt: number;
  ended: boolean;
  ref: Ref<LogHandle>;
}

/** Give `key={attempt}`. */
export function TaskLog({ task, attempt, ended, ref }: Props) {
  const [grows] = useState(!ended);
  const download = (
    <Tooltip label="Download the whole log">
      <ActionIcon size="sm" aria-label="Download the log" onClick={() => saveLog(task, attempt).catch(failed)}>
        <IconDownload />
      </ActionIcon>
    </Tooltip>
  );
  return <LogView ref={ref} task={task} attempt={attempt} steady={grows} tools={download} />;
}
