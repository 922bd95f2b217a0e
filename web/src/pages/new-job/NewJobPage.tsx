import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link, useSearch } from 'wouter';
import { request } from '../../api/client';
import { useJob } from '../../api/jobs';
import { useSamples } from '../../api/system';
import type { JobDetail, Sample } from '../../api/types';
import { CopyLine } from '../../parts/CopyLine';
import { EmptyState } from '../../parts/EmptyState';
import { IconTerminal } from '../../parts/icons';
import { Loaded, useTitle, Waiting } from '../../parts/Page';
import { Editor } from './Editor';
import { fromSpec } from './lib/draft';
import { fromTexts } from './lib/files';
import { NOTHING_YET } from './useEditor';

/** `/new`, `/new?from=JOB` with all that an old job had, `/new?sample=1` with the sample sweep. */
export default function NewJobPage() {
  const search = new URLSearchParams(useSearch());
  const from = search.get('from');
  if (from) return <FromJob key={from} job={from} />;
  if (search.has('sample')) return <FromSample />;
  return <Editor key="new" source="" title="New job" start={NOTHING_YET} />;
}

function FromJob({ job }: { job: string }) {
  const old = useJob(job);
  const files = useQuery({
    queryKey: ['job-files', job],
    queryFn: async ({ signal }): Promise<Record<string, string>> =>
      (await request(`/api/v1/jobs/${encodeURIComponent(job)}/files`, { signal })).json(),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (files.isPending) return <Waiting />;
  return (
    <Loaded query={old} what="job">
      {(found) =>
        found.mapped ? <MapAgain job={found} /> : <StartedFromJob job={found} texts={files.data ?? NO_FILES} />
      }
    </Loaded>
  );
}

const NO_FILES: Record<string, string> = {};

function StartedFromJob({ job, texts }: { job: JobDetail; texts: Record<string, string> }) {
  const { spec } = job; // the job itself changes while it runs
  const start = useMemo(() => {
    const files = fromTexts(texts);
    const names = files.length ? files.map(({ path }) => path) : spec.script ? [spec.script] : [];
    return { draft: fromSpec(spec), files, ignored: 0, names };
  }, [spec, texts]);
  return <Editor source={`job.${job.id}`} title="New job" from={{ id: job.id, name: job.name }} start={start} />;
}

/** The files of a map are where its caller is, not where the page is. */
function MapAgain({ job }: { job: JobDetail }) {
  useTitle('New job');
  const call = job.description.startsWith('paddock map ') ? job.description : null;
  return (
    <EmptyState
      icon={IconTerminal}
      order={1}
      title="A map begins on the command line"
      actions={
        <Button component={Link} href={`/jobs/${job.id}`} variant="default">
          Back to {job.name || job.id}
        </Button>
      }
    >
      Call it again to do what is left, or with --fresh to do all files.
      {call && (
        <div style={{ marginTop: 16 }}>
          <CopyLine text={call} label="Copy the call" />
        </div>
      )}
      {job.code?.source && <p className="app-wrap-anywhere">In the folder {job.code.source}</p>}
    </EmptyState>
  );
}

function FromSample() {
  const samples = useSamples();
  return (
    <Loaded query={samples} what="sample">
      {([first]) =>
        first ? <StartedFromSample sample={first} /> : <Editor source="" title="New job" start={NOTHING_YET} />
      }
    </Loaded>
  );
}

function StartedFromSample({ sample }: { sample: Sample }) {
  const start = useMemo(() => {
    const { spec, files = {} } = sample.submission;
    return { draft: fromSpec(spec), files: fromTexts(files), ignored: 0, names: Object.keys(files) };
  }, [sample]);
  return <Editor source="sample" title="New job" start={start} />;
}
