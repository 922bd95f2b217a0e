import { ActionIcon, Tooltip } from '@mantine/core';
import { type Ref, useState } from 'react';
import { useMe } from '../../api/me';
import { IconDownload } from '../../parts/icons';
import { type LogHandle, LogView } from '../../parts/LogView';
import { failed } from '../../parts/notify';
import { MarkNumber } from './MarkNumber';
import { saveLog } from './saveLog';

interface Props {
  job: string;
  task: string;
  attempt: number;
  ended: boolean;
  ref: Ref<LogHandle>;
}

/** Give `key={attempt}`. */
export function TaskLog({ job, task, attempt, ended, ref }: Props) {
  const [grows] = useState(!ended);
  const { can } = useMe();
  const tools = (
    <>
      {can('edit') && <MarkNumber job={job} task={task} />}
      <Tooltip label="Download the whole log">
        <ActionIcon size="sm" aria-label="Download the log" onClick={() => saveLog(task, attempt).catch(failed)}>
          <IconDownload />
        </ActionIcon>
      </Tooltip>
    </>
  );
  return <LogView ref={ref} task={task} attempt={attempt} steady={grows} tools={tools} />;
}
