import { Alert, Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { checkJob } from '../../api/submissions';
import type { Check, Preview } from '../../api/types';
import { plural } from '../../lib/format';
import { CodeFold } from '../../parts/CodeFold';
import { ErrorPanel } from '../../parts/ErrorPanel';
import { IconAlert, IconCheck, IconClock } from '../../parts/icons';
import { StartTime } from '../../parts/StartTime';
import type { Asked } from './usePreview';

interface Props {
  preview: Preview;
  asked: Asked;
}

/** The exact request to the backend, and the scheduler's answer when somebody asks for it. */
export function RequestPanel({ preview, asked }: Props) {
  const { backend, allocations = 0, batch_script: script } = preview;
  const [wanted, setWanted] = useState('');
  const check = useQuery({
    queryKey: ['check', asked.key],
    queryFn: async ({ signal }) => (await checkJob(asked.upload, signal)).check ?? null,
    enabled: wanted === asked.key,
    retry: false,
    gcTime: 10_000,
    staleTime: 0,
  });
  const answer = wanted === asked.key ? check.data : undefined;
  return (
    <Stack gap={6}>
      <Text size="sm" c="dimmed">
        Asks {backend} for {plural(allocations, 'allocation')} at first
        {allocations < (preview.count ?? Number.POSITIVE_INFINITY) && `, each of which runs ${atATime(preview)}`}.
      </Text>
      {script && (
        <>
          <CodeFold title="Batch script" text={script} copyLabel="Copy the batch script" />
          <div>
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconClock size={14} />}
              loading={check.isFetching}
              onClick={() => (wanted === asked.key ? check.refetch() : setWanted(asked.key))}
            >
              Ask {backend} when it would start
            </Button>
          </div>
          {wanted === asked.key && check.error && <ErrorPanel error={check.error} />}
          {answer && !check.isFetching && <Answer check={answer} backend={backend} />}
        </>
      )}
    </Stack>
  );
}

/** How the tasks of an allocation follow each other. */
function atATime({ spec: { resources }, slots = 1 }: Preview): string {
  if (slots === 1) return 'one task after another';
  return resources?.per_gpu === 'auto' ? 'as many tasks at a time as pay' : `up to ${slots} tasks at a time`;
}

function Answer({ check: { accepted, message, starts_at: at }, backend }: { check: Check; backend: string }) {
  return (
    <Alert
      color={accepted ? 'green.8' : 'red'}
      variant="outline"
      icon={accepted ? <IconCheck size={18} /> : <IconAlert size={18} />}
      p="xs"
      role="status"
    >
      <Text size="sm">
        {accepted ? `${backend} would take it` : `${backend} would refuse it`}
        {at && (
          <>
            ; expected to start <StartTime at={at} />
          </>
        )}
      </Text>
      {message && (
        <Text size="sm" c="dimmed" className="app-wrap-anywhere">
          {message}
        </Text>
      )}
    </Alert>
  );
}
