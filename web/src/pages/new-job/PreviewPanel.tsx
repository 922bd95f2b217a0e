import { Alert, Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError, Unreachable } from '../../api/client';
import { useMe } from '../../api/me';
import type { Preview } from '../../api/types';
import { plural } from '../../lib/format';
import { errorText } from '../../parts/ErrorPanel';
import { IconAlert } from '../../parts/icons';
import { focusField } from './form';
import { labelOf, type Placed } from './lib/fields';
import styles from './PreviewPanel.module.css';
import { RequestPanel } from './RequestPanel';
import { TaskList } from './TaskList';
import type { Outcome } from './usePreview';
import { Warnings } from './Warnings';

interface Props {
  outcome: Outcome;
  faults: Placed;
  /** Why the submission itself was refused. */
  refused: unknown;
  sending: boolean;
  /** Warnings that are shown with the script. */
  known: readonly string[];
  /** Something keeps the job from being accepted unless a person insists. */
  held: boolean;
  onInsist: () => void;
  children: ReactNode;
}

/** What the form would start, and the button that does. */
export function PreviewPanel({ outcome, faults, refused, sending, known, held, onInsist, children }: Props) {
  const { can } = useMe();
  const { preview, old } = outcome;
  const failure = refused ?? outcome.error;
  const wrong = failure !== null || Object.keys(faults.at).length > 0;
  const warnings = (preview?.warnings ?? []).filter((warning) => !known.includes(warning));
  return (
    <section className={`app-panel ${styles.panel}`} aria-label="Preview">
      <Group justify="space-between" gap="sm">
        <div aria-live="polite">
          <Title order={2}>
            {wrong || held ? 'Not ready yet' : preview ? countText(preview) : old ? 'Counting…' : 'No tasks yet'}
          </Title>
        </div>
        <Button type="submit" title="Ctrl+Enter" loading={sending} disabled={(!preview && !wrong) || !can('submit')}>
          Submit
        </Button>
      </Group>
      {wrong && <Faults failure={failure} faults={faults} retry={outcome.retry} />}
      {!held && refused instanceof ApiError && refused.code === 'missing_modules' && (
        <Group>
          <Button size="compact-sm" variant="subtle" color="red" loading={sending} onClick={onInsist}>
            Submit anyway
          </Button>
        </Group>
      )}
      {children}
      <Warnings warnings={warnings} />
      {preview && (
        <div className={wrong ? styles.dim : ''} inert={wrong} aria-hidden={wrong} data-old={old || undefined}>
          <Stack gap="sm">
            <RequestPanel preview={preview} asked={outcome.asked} />
            <TaskList preview={preview} />
          </Stack>
        </div>
      )}
    </section>
  );
}

function countText({ count }: Preview): string {
  return count === null ? 'Tasks until the time is over' : plural(count, 'task');
}

/** What keeps the job from being submitted; each leads to its field. */
function Faults({ failure, faults, retry }: { failure: unknown; faults: Placed; retry: () => void }) {
  const at = Object.entries(faults.at);
  const rest = Object.entries(faults.rest);
  const unreachable = failure instanceof Unreachable;
  const nowhere =
    at.length + rest.length === 0 || (failure instanceof ApiError && failure.code !== 'invalid' && !at.length);
  return (
    <Alert color="red" variant="outline" icon={<IconAlert size={18} />} p="sm" role="alert">
      <Stack gap={4} align="flex-start">
        {nowhere && (
          <Text size="sm" className="app-wrap-anywhere">
            {errorText(failure)}
          </Text>
        )}
        {at.map(([field, message]) => (
          <Text key={field} size="sm" className="app-wrap-anywhere">
            <Anchor component="button" type="button" inherit underline="always" onClick={() => focusField(field)}>
              {labelOf(field)}
            </Anchor>
            : {message}
          </Text>
        ))}
        {rest.map(([field, message]) => (
          <Text key={field} size="sm" className="app-wrap-anywhere">
            {field}: {message}
          </Text>
        ))}
        {unreachable && (
          <Button size="compact-sm" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
