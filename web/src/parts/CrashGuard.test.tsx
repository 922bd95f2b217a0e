// @vitest-environment happy-dom
import { MantineProvider } from '@mantine/core';
import { fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { CrashGuard } from './CrashGuard';

afterEach(() => vi.restoreAllMocks());

/** Fails as long as its view says so, as the log scale of some curves did. */
function Graph() {
  if (window.location.search.includes('log=1')) throw new RangeError('Invalid array length');
  return <p>{`drawn ${window.location.search}`}</p>;
}

it('drops the view from the address when a page that failed is tried again', () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  window.history.replaceState(null, '', '/jobs/abc?log=1&smooth=0.5&from=k3v9x2ab');
  render(
    <MantineProvider env="test">
      <CrashGuard>
        <Graph />
      </CrashGuard>
    </MantineProvider>,
  );
  expect(screen.getByText('Invalid array length')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(screen.getByText('drawn ?from=k3v9x2ab')).toBeTruthy();
  expect(window.location.pathname).toBe('/jobs/abc');
});
