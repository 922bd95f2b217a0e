// @vitest-environment happy-dom
import { MantineProvider } from '@mantine/core';
import { act, render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { CrashGuard } from '../parts/CrashGuard';
import { lazyPage } from './lazy';

const Found = ({ name }: { name: string }) => <p>{`page of ${name}`}</p>;
const inside = (page: React.ReactNode) => (
  <MantineProvider env="test">
    <CrashGuard>{page}</CrashGuard>
  </MantineProvider>
);

it('waits for a page, and shows one that is there at once', async () => {
  const load = vi.fn(async () => ({ default: Found }));
  const Page = lazyPage(load);
  const first = render(inside(<Page name="ann" />));
  expect(screen.getByLabelText('Loading')).toBeTruthy();
  await act(async () => {});
  expect(screen.getByText('page of ann')).toBeTruthy();
  first.unmount();
  render(inside(<Page name="bob" />));
  expect(screen.getByText('page of bob')).toBeTruthy();
  expect(load).toHaveBeenCalledTimes(1);
});

it('says why a page cannot be fetched, and tries again', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const load = vi.fn<() => Promise<{ default: typeof Found }>>();
  load.mockRejectedValueOnce(new Error('the server is away')).mockResolvedValue({ default: Found });
  const Page = lazyPage(load);
  render(inside(<Page name="ann" />));
  await act(async () => {});
  expect(screen.getByText('the server is away')).toBeTruthy();
  await act(async () => screen.getByRole('button', { name: 'Try again' }).click());
  expect(screen.getByText('page of ann')).toBeTruthy();
});
