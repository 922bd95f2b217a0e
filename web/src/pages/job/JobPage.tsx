import { Stack, Tabs } from '@mantine/core';
import { lazy, Suspense, useEffect } from 'react';
import { ApiError } from '../../api/client';
import { useJob } from '../../api/jobs';
import { useMe } from '../../api/me';
import { useFiles, useTasks } from '../../api/tasks';
import type { JobDetail } from '../../api/types';
import { useUrlState } from '../../lib/urlState';
import { Loaded, Page, Waiting } from '../../parts/Page';
import { taskTotal } from '../../parts/states';
import { JobActions } from './JobActions';
import { JobHeader } from './JobHeader';
import { Sweep } from './Sweep';

const CodeView = lazy(() => import('./code/CodeView'));
const GpusTab = lazy(() => import('./gpus/GpusTab'));
const TABS = ['results', 'gpus', 'code'];
const TAB = { tab: 'results' };

export default function JobPage({ job }: { job: string }) {
  const query = useJob(job);
  useTasks(job); // fetched while the job is: an address nearly always has the whole id
  // Removed by somebody else while it was shown: what is left of it is not shown on.
  const gone = query.error instanceof ApiError && query.error.status === 404;
  return (
    <Loaded query={gone ? { ...query, data: undefined } : query} what="job">
      {(found) => <Shown job={found} />}
    </Loaded>
  );
}

function Shown({ job }: { job: JobDetail }) {
  const { can } = useMe();
  const tasks = useTasks(job.id);
  // A task that was made while the others were being fetched is in no later event: the count shows it.
  const count = taskTotal(job.counts);
  const { data, refetch } = tasks;
  const missing = data !== undefined && data.length < count;
  // biome-ignore lint/correctness/useExhaustiveDependencies: again when more are missing
  useEffect(() => {
    if (missing) refetch({ cancelRefetch: false });
  }, [missing, count, refetch]);
  const shown = useFiles(job, data);
  const [{ tab }, setTab] = useUrlState(TAB);
  return (
    <Page title={job.name} actions={<JobActions job={job} />}>
      <Stack gap="md">
        <JobHeader job={job} tasks={shown} />
        <Tabs
          value={TABS.includes(tab) ? tab : 'results'}
          onChange={(next) => setTab({ tab: next ?? 'results' })}
          keepMounted={false}
        >
          <Tabs.List mb="md">
            <Tabs.Tab value="results">Results</Tabs.Tab>
            {job.spec.resources?.gpus !== 0 && <Tabs.Tab value="gpus">GPUs</Tabs.Tab>}
            {can('read', job) && <Tabs.Tab value="code">Code</Tabs.Tab>}
          </Tabs.List>
          <Tabs.Panel value="results">
            <Stack gap="md">
              <Loaded query={{ ...tasks, data: shown }} what="list of tasks">
                {(items) => <Sweep job={job} tasks={items} />}
              </Loaded>
            </Stack>
          </Tabs.Panel>
          <Tabs.Panel value="gpus">
            <Suspense fallback={<Waiting />}>
              <Stack gap="md">
                <GpusTab job={job} />
              </Stack>
            </Suspense>
          </Tabs.Panel>
          <Tabs.Panel value="code">
            <Suspense fallback={<Waiting />}>
              <Stack gap="md">
                <CodeView job={job} />
              </Stack>
            </Suspense>
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </Page>
  );
}
