// @vitest-environment happy-dom
import { MantineProvider } from '@mantine/core';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { AllowNotices } from './AllowNotices';

afterEach(() => vi.unstubAllGlobals());

function show(permission: NotificationPermission) {
  const requestPermission = vi.fn(async () => 'granted' as const);
  vi.stubGlobal('Notification', { permission, requestPermission });
  render(
    <MantineProvider env="test">
      <AllowNotices />
    </MantineProvider>,
  );
  return requestPermission;
}

it('asks the browser once, and is gone when it is answered', async () => {
  const ask = show('default');
  fireEvent.click(screen.getByRole('button'));
  expect(ask).toHaveBeenCalledOnce();
  await waitFor(() => expect(screen.queryByRole('button')).toBeNull());
});

it('does not ask again', () => {
  show('denied');
  expect(screen.queryByRole('button')).toBeNull();
});
