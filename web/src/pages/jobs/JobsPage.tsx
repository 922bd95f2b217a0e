import { Button } from '@mantine/core';
import { useCallback, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useJobs } from '../../api/jobs';
import { useMe } from '../../api/me';
import { useUrlState } from '../../lib/urlState';
import { EmptyState } from '../../parts/EmptyState';
import { IconChart, IconPlus, IconSearch } from '../../parts/icons';
import { Loaded, Page } from '../../parts/Page';
import { FirstSteps } from './FirstSteps';
import { type Asked, JobDialogs } from './JobDialogs';
import { JobList } from './JobList';
import { JobsToolbar } from './JobsToolbar';
import { DEFAULTS, isFiltered, pageCount, pageOf, toQuery, type View } from './jobsLib';
import { SavedViews } from './SavedViews';

const UNFILTERED = { q: '', state: '', tag: '', owner: '', page: 1 };

export default function JobsPage() {
  const [view, setView] = useUrlState(DEFAULTS);
  const query = toQuery(view);
  const jobs = useJobs(query);
  const [asked, setAsked] = useState<Asked | null>(null);
  const filtered = isFiltered(query);
  const page = pageOf(view);
  const onChange = (change: Partial<View>) => setView({ page: 1, ...change });
  const onTag = useCallback((tag: string) => setView({ tag, page: 1 }), [setView]);

  // The last page may empty while one looks at it.
  const last = jobs.data && !jobs.isPlaceholderData ? pageCount(jobs.data.total) : null;
  useEffect(() => {
    if (last !== null && page > last) setView({ page: last });
  }, [last, page, setView]);

  return (
    <Page title="Jobs" actions={<NewJobButton />}>
      {(jobs.data?.total || filtered || jobs.error) && (
        <>
          <JobsToolbar view={view} onChange={onChange} />
          <SavedViews view={view} onChange={onChange} />
        </>
      )}
      <Loaded query={jobs} what="list of jobs">
        {(found) =>
          found.total ? (
            <JobList found={found} page={page} onPage={(to) => setView({ page: to })} onTag={onTag} onAsk={setAsked} />
          ) : filtered ? (
            <EmptyState
              icon={IconSearch}
              title="No job matches"
              actions={
                <Button variant="default" onClick={() => setView(UNFILTERED)}>
                  Show all jobs
                </Button>
              }
            >
              Try other words, or fewer filters.
            </EmptyState>
          ) : (
            <NoJobs />
          )
        }
      </Loaded>
      <JobDialogs asked={asked} onClose={() => setAsked(null)} />
    </Page>
  );
}

function NoJobs() {
  const { can } = useMe();
  if (can('submit')) return <FirstSteps />;
  return (
    <EmptyState icon={IconChart} title="No jobs yet">
      Here you will see what the team runs.
    </EmptyState>
  );
}

function NewJobButton() {
  const { can } = useMe();
  if (!can('submit')) return null;
  return (
    <Button component={Link} href="/new" leftSection={<IconPlus />}>
      Submit new job
    </Button>
  );
}
