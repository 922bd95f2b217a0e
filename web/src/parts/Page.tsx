import { Center, Group, Loader, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { ApiError } from '../api/client';
import { EmptyState } from './EmptyState';
import { ErrorPanel } from './ErrorPanel';
import { IconSearch } from './icons';

/** The title of the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} · Paddock` : 'Paddock';
  }, [title]);
}

interface Props {
  title: string;
  /** Before the title, in its line: a state badge. */
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, actions, children }: Props) {
  useTitle(title);
  return (
    <>
      <Group justify="space-between" mb="md" gap="sm">
        <Title order={1} className="app-wrap-anywhere">
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </>
  );
}

interface LoadedProps<T> {
  query: { data: T | undefined; error: unknown; refetch: () => unknown };
  /** `job`, for "There is no such job". */
  what: string;
  children: (data: T) => ReactNode;
}

/** What a query brings; until then a sign of life, and what is wrong when it fails. */
export function Loaded<T>({ query, what, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error instanceof ApiError && query.error.status === 404) {
    return (
      <EmptyState icon={IconSearch} order={1} title={`There is no such ${what}`}>
        {query.error.message}
      </EmptyState>
    );
  }
  if (query.error) {
    return <ErrorPanel error={query.error} title={`The ${what} cannot be shown`} onRetry={() => query.refetch()} />;
  }
  return <Waiting />;
}

export function Waiting() {
  return (
    <Center py={80}>
      <Loader type="dots" aria-label="Loading" />
    </Center>
  );
}
