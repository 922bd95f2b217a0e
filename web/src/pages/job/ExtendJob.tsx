import { Button, Group, Modal, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/client';
import { useExtend } from '../../api/search';
import type { JobDetail } from '../../api/types';
import { ErrorPanel } from '../../parts/ErrorPanel';
import { done } from '../../parts/notify';
import { extension, searchedParams } from './lib/extend';

interface Props {
  job: JobDetail;
  opened: boolean;
  onClose: () => void;
}

/** More trials, more time or other values for a search. */
export function ExtendJob({ job, opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Extend the search" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Form job={job} onClose={onClose} />
    </Modal>
  );
}

const MONO = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } };

/** Begins with the values as they are when the modal opens. */
function Form({ job, onClose }: Omit<Props, 'opened'>) {
  const [before] = useState(() => ({ trials: '', time: '', params: searchedParams(job.spec) }));
  const [now, setNow] = useState(before);
  const extend = useExtend(job.id);
  const fields = extend.error instanceof ApiError ? extend.error.fields : {};
  const wrong = (field: string) =>
    Object.entries(fields).find(([at]) => at === field || at.startsWith(`${field}.`))?.[1];
  const names = Object.keys(before.params);
  const placed = ['trials', 'time_budget', ...names.map((name) => `params.${name}`)].some(wrong);
  const body = extension(before, now);
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (!body) return;
    extend.mutate(body, {
      onSuccess: () => {
        done('The search is extended');
        onClose();
      },
    });
  };
  return (
    <form onSubmit={save}>
      <Stack>
        <NumberInput
          label="More trials"
          description="In addition to those that there are"
          placeholder="none"
          value={now.trials}
          error={wrong('trials')}
          hideControls
          allowNegative={false}
          allowDecimal={false}
          data-autofocus
          onChange={(value) => setNow({ ...now, trials: String(value) })}
        />
        <TextInput
          label="More time"
          description="Counted from now, such as 2h"
          placeholder="none"
          value={now.time}
          error={wrong('time_budget')}
          autoComplete="off"
          onChange={(event) => setNow({ ...now, time: event.currentTarget.value })}
        />
        {names.length > 0 && (
          <Stack gap="xs" role="group" aria-label="Values from now on">
            <Text size="sm" c="dimmed">
              Values from now on. Results so far are kept and learned from.
            </Text>
            {names.map((name) => (
              <TextInput
                key={name}
                label={name}
                placeholder={before.params[name]}
                value={now.params[name] ?? ''}
                error={wrong(`params.${name}`)}
                autoComplete="off"
                spellCheck={false}
                styles={MONO}
                onChange={(event) => setNow({ ...now, params: { ...now.params, [name]: event.currentTarget.value } })}
              />
            ))}
          </Stack>
        )}
        {extend.error && !placed && <ErrorPanel error={extend.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={extend.isPending} disabled={!body}>
            Extend
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
