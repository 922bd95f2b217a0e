import { Stack } from '@mantine/core';
import { useEffect } from 'react';
import { ApiError } from '../../api/client';
import { useJob } from '../../api/jobs';
import { useFiles, useTasks } from '../../api/tasks';
import type { JobDetail } from '../../api/types';
import { Loaded, Page } from '../../parts/Page';
import { taskTotal } from '../../parts/states';
import { JobActions } from './JobActions';
import { JobHeader } from './JobHeader';
import { Sweep } from './Sweep';

export default function JobPage({ job }: { job: string }) {
  const query = useJob(job);
  // Removed by somebody else while it was shown: what is left of it is not shown on.
  const gone = query.error instanceof ApiError && query.error.status === 404;
  return (
    <Loaded query={gone ? { ...query, data: undefined } : query} what="job">
      {(found) => <Shown job={found} />}
    </Loaded>
  );
}

function Shown({ job }: { job: JobDetail }) {
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
  return (
    <Page title={job.name} actions={<JobActions job={job} />}>
      <Stack gap="md">
        <JobHeader job={job} tasks={shown} />
        <Loaded query={{ ...tasks, data: shown }} what="list of tasks">
          {(items) => <Sweep job={job} tasks={items} />}
        </Loaded>
      </Stack>
    </Page>
  );
}
