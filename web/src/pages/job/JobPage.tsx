import { Stack } from '@mantine/core';
import { ApiError } from '../../api/client';
import { useJob, useTasks } from '../../api/queries';
import type { JobDetail } from '../../api/types';
import { Loaded, Page } from '../../parts/Page';
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
  return (
    <Page title={job.name} actions={<JobActions job={job} />}>
      <Stack gap="md">
        <JobHeader job={job} best={tasks.data?.find(({ id }) => id === job.best_task)} />
        <Loaded query={tasks} what="list of tasks">
          {(items) => <Sweep job={job} tasks={items} />}
        </Loaded>
      </Stack>
    </Page>
  );
}
