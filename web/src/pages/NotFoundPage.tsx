import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { EmptyState } from '../parts/EmptyState';
import { IconSearch } from '../parts/icons';
import { useTitle } from '../parts/Page';

export function NotFoundPage() {
  useTitle('Not found');
  return (
    <EmptyState
      icon={IconSearch}
      order={1}
      title="There is no such page"
      actions={
        <Button component={Link} href="/" variant="default">
          To the jobs
        </Button>
      }
    >
      The address may be mistyped, or what it showed has been removed.
    </EmptyState>
  );
}
