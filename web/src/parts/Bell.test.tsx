// @vitest-environment happy-dom
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { keys } from '../api/keys';
import type { Notice } from '../api/types';
import { Bell } from './Bell';

afterEach(() => vi.unstubAllGlobals());

const notice = (id: number, read: boolean): Notice => ({
  id,
  kind: 'failed',
  title: `sweep ${id} has failed`,
  text: '<b>why</b>',
  link: `/jobs/j${id}`,
  created_at: '2026-11-18T03:00:00Z',
  read_at: read ? '2026-11-18T04:00:00Z' : null,
});

function show(permission: NotificationPermission, ...items: Notice[]) {
  const requestPermission = vi.fn(async () => 'granted' as const);
  vi.stubGlobal('Notification', { permission, requestPermission });
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  const unread = items.filter(({ read_at: read }) => !read).length;
  client.setQueryData(keys.notices(), { items, unread, more: false });
  render(
    <QueryClientProvider client={client}>
      <MantineProvider env="test">
        <Bell />
      </MantineProvider>
    </QueryClientProvider>,
  );
  return requestPermission;
}

it('counts what is new, and shows it as text with a link', async () => {
  show('denied', notice(2, false), notice(1, true));
  fireEvent.click(screen.getByRole('button', { name: '1 new notice' }));
  const link = await screen.findByRole('link', { name: /sweep 2 has failed/ });
  expect(link.getAttribute('href')).toBe('/jobs/j2');
  expect(screen.getAllByText('<b>why</b>')).toHaveLength(2);
  expect(screen.queryByRole('button', { name: /in the background/ })).toBeNull();
});

it('asks the browser once', async () => {
  const ask = show('default');
  fireEvent.click(screen.getByRole('button', { name: 'Notices' }));
  fireEvent.click(await screen.findByRole('button', { name: /in the background/ }));
  expect(ask).toHaveBeenCalledOnce();
  await waitFor(() => expect(screen.queryByRole('button', { name: /in the background/ })).toBeNull());
});
