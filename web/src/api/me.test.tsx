// @vitest-environment happy-dom
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { JobActions } from '../pages/job/JobActions';
import { TaskActions } from '../pages/task/TaskActions';
import { ALONE, type Me, MeContext, meOf } from './me';
import type { JobDetail, Role, TaskDetail } from './types';

const job = { id: 'job1', name: 'job', owner: 'ann', ended: false, counts: {}, spec: { params: { lr: [1, 2] } } };
const task = { id: 'job1-1', owner: 'ann', number: 1, attempt: 1 };

function offered(me: Me): string[] {
  const { unmount } = render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient()}>
        <MeContext value={me}>
          <JobActions job={job as unknown as JobDetail} />
          <TaskActions job={undefined} task={task as unknown as TaskDetail} onRestart={() => {}} />
          <TaskActions
            job={undefined}
            task={{ ...task, ended_at: 'now' } as unknown as TaskDetail}
            onRestart={() => {}}
          />
        </MeContext>
      </QueryClientProvider>
    </MantineProvider>,
  );
  fireEvent.click(screen.getByRole('button', { name: 'More' }));
  const found = ['button', 'link', 'menuitem'].flatMap((role) => screen.queryAllByRole(role, { hidden: true }));
  const names = found.map((one) => one.textContent);
  unmount();
  return names as string[];
}

function somebody(name: string, role: Role): Me {
  return meOf({ name, role, team: true, via: 'session', source: 'password' });
}

it('offers only what somebody may do, and to read is no such thing', () => {
  const all = offered(ALONE);
  for (const name of ['Stop', 'Restart', 'Hold', 'Start from this job', 'Restart all']) expect(all).toContain(name);
  for (const name of ['Edit name, tags and description', 'Limits and priority', 'Remove…']) expect(all).toContain(name);
  const read = ['More', 'Compare with another job', 'Export as a CSV table'];
  const exports = ['Export as JSON lines', 'Export all curves as CSV', 'Export as an Optuna study'];
  expect(offered(somebody('gus', 'guest'))).toEqual([...read, ...exports]);
  expect(offered(somebody('ann', 'user')).sort()).toEqual([...all, 'Make private'].sort());
  const others = offered(somebody('bob', 'user'));
  expect(others.sort()).toEqual([...read, ...exports, 'Start from this job'].sort());
  const admin = offered(somebody('root', 'admin'));
  const theirs = ['Hold', 'Limits and priority', 'Remove…', 'Stop', 'Stop'];
  expect(admin.sort()).toEqual([...others, ...theirs].sort());
});
