import { Stack, Tabs } from '@mantine/core';
import { lazy, Suspense, useMemo, useRef } from 'react';
import { useTaskCurves } from '../../api/curves';
import { useJob } from '../../api/jobs';
import { useMe } from '../../api/me';
import { useFiles, useTask } from '../../api/tasks';
import type { TaskDetail } from '../../api/types';
import { useUrlState } from '../../lib/urlState';
import type { LogHandle } from '../../parts/LogView';
import { Loaded, Page, useTitle, Waiting } from '../../parts/Page';
import { AllocationPanel } from './AllocationPanel';
import { AttemptTable } from './AttemptTable';
import { FailurePanel } from './FailurePanel';
import { attemptRows, shownAttempt } from './lib/attempts';
import { MetricCharts } from './MetricCharts';
import { TaskActions } from './TaskActions';
import { TaskCrumbs } from './TaskCrumbs';
import { TaskDetails } from './TaskDetails';
import { TaskLog } from './TaskLog';
import { TaskNote } from './TaskNote';
import { OldAttemptNote, ResizeNote, SilentNote, WaitingNote, Warnings } from './TaskNotes';
import { TaskSummary } from './TaskSummary';
import { UsageCharts } from './UsageCharts';
import { useLive } from './useLive';
import { useView } from './useView';

const FilesTab = lazy(() => import('./files/FilesTab'));
const TAB = { tab: 'overview' };

export default function TaskPage({ task }: { task: string }) {
  return (
    <Loaded query={useTask(task)} what="task">
      {(found) => <Shown task={found} />}
    </Loaded>
  );
}

function Shown({ task: fetched }: { task: TaskDetail }) {
  const live = useLive(fetched);
  const { data: job } = useJob(live.job);
  const task =
    useFiles(
      job,
      useMemo(() => [live], [live]),
    )?.[0] ?? live;
  const { can } = useMe();
  const view = useView();
  const mapped = job?.mapped ?? false;
  const rows = useMemo(() => attemptRows(task, mapped), [task, mapped]);
  const attempt = shownAttempt(rows, view.attempt);
  const number = attempt?.number ?? task.attempt;
  const old = attempt !== undefined && !attempt.current;
  // The curve of the task, over all attempts that were resumed, moves with the stream; that of an old attempt rests.
  const { data: curves } = useTaskCurves(task.id, { attempt: old ? attempt.number : undefined });
  const log = useRef<LogHandle>(null);
  const [{ tab }, setTab] = useUrlState(TAB);
  useTitle(job ? `Task ${task.number} · ${job.name}` : `Task ${task.number}`);
  const show = (chosen: number) => view.setAttempt(chosen === task.attempt ? 0 : chosen);
  return (
    <>
      <TaskCrumbs task={task} job={job} />
      <Page
        title={`Task ${task.number}`}
        actions={<TaskActions task={task} job={job} onRestart={() => view.setAttempt(0)} />}
      >
        <Tabs
          value={tab === 'files' ? 'files' : 'overview'}
          onChange={(next) => setTab({ tab: next ?? 'overview' })}
          keepMounted={false}
        >
          <Tabs.List mb="md">
            <Tabs.Tab value="overview">Overview</Tabs.Tab>
            {can('read', task) && <Tabs.Tab value="files">Files</Tabs.Tab>}
          </Tabs.List>
          <Tabs.Panel value="overview">
            <Stack gap="md">
              {old && <OldAttemptNote attempt={attempt} current={task.attempt} onCurrent={() => view.setAttempt(0)} />}
              {attempt?.state === 'error' && (
                <FailurePanel attempt={attempt} mapped={mapped} onJump={() => log.current?.toError()} />
              )}
              {task.state === 'submitted' && !old && <WaitingNote task={task} job={job} rows={rows} />}
              {task.size_wanted != null && !task.ended_at && !old && <ResizeNote task={task} />}
              {task.no_word_since && !old && <SilentNote since={task.no_word_since} />}
              <TaskSummary task={task} job={job} />
              <TaskNote key={task.id} task={task} />
              <Warnings texts={[...new Set([...(task.warnings ?? []), ...(attempt?.warnings ?? [])])]} />
              <MetricCharts task={task} job={job} curves={curves} old={old} view={view} />
              <TaskLog key={number} ref={log} task={task} attempt={number} ended={attempt?.ended_at != null} />
              <AttemptTable rows={rows} shown={number} onShow={show} />
              <UsageCharts task={task} curves={curves} />
              {task.allocation && !old && <AllocationPanel allocation={task.allocation} />}
              <TaskDetails task={task} attempt={attempt} />
            </Stack>
          </Tabs.Panel>
          <Tabs.Panel value="files">
            <Suspense fallback={<Waiting />}>
              <Stack gap="md">
                <FilesTab task={task} />
              </Stack>
            </Suspense>
          </Tabs.Panel>
        </Tabs>
      </Page>
    </>
  );
}
