import { ActionIcon, Button, Code, Group, Modal, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useMarkMetric } from '../../api/marks';
import { plural } from '../../lib/format';
import { type NumberMark, nameFor, numberAt } from '../../lib/marks';
import { ErrorPanel } from '../../parts/ErrorPanel';
import { IconChart } from '../../parts/icons';
import { done } from '../../parts/notify';

/** Makes the number that is selected in the log a metric of the job. */
export function MarkNumber({ job, task }: { job: string; task: string }) {
  const [selected, setSelected] = useState<NumberMark | null>(null);
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    // A dialog takes the selection away: what was selected before counts.
    const look = () =>
      setSelected((before) => selectedNumber() ?? (document.querySelector('[role=dialog]') ? before : null));
    document.addEventListener('selectionchange', look);
    return () => document.removeEventListener('selectionchange', look);
  }, []);
  const open = () => setOpened(true);
  return (
    <>
      {selected ? (
        <Button size="compact-xs" leftSection={<IconChart size={14} />} onClick={open}>
          Make this a metric
        </Button>
      ) : (
        <Tooltip label="Make a number of the log a metric: select it first">
          <ActionIcon size="sm" aria-label="Make a number a metric" onClick={open}>
            <IconChart />
          </ActionIcon>
        </Tooltip>
      )}
      <Modal
        opened={opened}
        onClose={() => setOpened(false)}
        title="Make a number a metric"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {opened && <MarkForm job={job} task={task} given={selected} onClose={() => setOpened(false)} />}
      </Modal>
    </>
  );
}

function MarkForm(props: { job: string; task: string; given: NumberMark | null; onClose: () => void }) {
  const { job, task, given, onClose } = props;
  const [mark, setMark] = useState(given);
  const [line, setLine] = useState(given?.line ?? '');
  const [name, setName] = useState(given ? nameFor(given) : '');
  const act = useMarkMetric(job);
  const ready = mark !== null && name !== '';
  const preview = useQuery({
    queryKey: ['marks', job, task, mark, name],
    queryFn: () => act.preview({ ...(mark as NumberMark), name, task }),
    enabled: ready,
    retry: false,
  });
  const onLine = (text: string) => {
    const found = numberAt(text);
    setLine(text);
    setMark(found);
    if (found && name === '') setName(nameFor(found));
  };
  const confirm = () =>
    act.mark.mutate(
      { ...(mark as NumberMark), name },
      {
        onSuccess: () => {
          done(`${name} is a metric now: the logs of all tasks of this job are searched for it.`);
          onClose();
        },
      },
    );
  const error = act.mark.error ?? preview.error;
  return (
    <Stack gap="sm">
      <TextInput
        label="Line"
        description="A line of the log with the number"
        value={line}
        onChange={(event) => onLine(event.currentTarget.value)}
      />
      {mark && (
        <Text size="sm">
          The number is <Code>{mark.line.slice(mark.start, mark.end)}</Code>. Lines that differ only in their numbers
          give further points.
        </Text>
      )}
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value.trim())}
        data-autofocus
      />
      <Text size="sm" aria-live="polite">
        {ready && preview.data
          ? `${plural(preview.data.matches ?? 0, 'line')} at the end of this log ${preview.data.matches === 1 ? 'matches' : 'match'}.`
          : 'Give a line with a number, and a name.'}
      </Text>
      {preview.data && ready && <Code block>{preview.data.pattern}</Code>}
      {error && <ErrorPanel error={error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button onClick={confirm} disabled={!ready || !preview.data} loading={act.mark.isPending}>
          Make it a metric
        </Button>
      </Group>
    </Stack>
  );
}

/** The number in a line of the log that the person has selected. */
function selectedNumber(): NumberMark | null {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  const from = range.startContainer.parentElement?.closest('[role=log] [data-text]');
  if (!from?.contains(range.endContainer)) return null;
  const before = document.createRange();
  before.selectNodeContents(from);
  before.setEnd(range.startContainer, range.startOffset);
  const start = before.toString().length;
  return numberAt(from.textContent ?? '', start, start + range.toString().length);
}
