import { Button, Group, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMe } from '../../api/me';
import type { Violation } from '../../api/types';
import { useAskIntruder, useEndIntruder, useExemptViolation } from '../../api/violations';
import { ConfirmModal } from '../../parts/ConfirmModal';
import { done, failed } from '../../parts/notify';
import { whoText } from './violationsLib';

/** What may be done about a violation that goes on: its owner is asked to leave, or, by admins, it is ended or exempt. */
export function ViolationActs({ violation }: { violation: Violation }) {
  const { name, role } = useMe();
  const [asked, ask] = useState<'end' | 'exempt' | null>(null);
  const again = useAskIntruder();
  const end = useEndIntruder();
  const { id, pid, host, outcome, owner, unix_name: unix, end_by: endBy } = violation;
  const admin = role === 'admin';
  if (outcome || !(admin || owner === name)) return null;
  const who = whoText(violation);
  const tell = () =>
    again.mutate(id, {
      onSuccess: () => done(`${who} is told on their terminals on ${host}.`),
      onError: failed,
    });
  return (
    <Group gap={6} wrap="nowrap" justify="flex-end">
      {unix && (
        <Button size="compact-xs" variant="default" loading={again.isPending} onClick={tell}>
          Ask
        </Button>
      )}
      {admin && unix && (
        <Button size="compact-xs" variant="default" disabled={Boolean(endBy)} onClick={() => ask('end')}>
          {endBy ? 'Ending' : 'End'}
        </Button>
      )}
      {admin && (
        <Button size="compact-xs" variant="default" onClick={() => ask('exempt')}>
          Exempt
        </Button>
      )}
      <ConfirmModal
        opened={asked === 'end'}
        title={`End process ${pid} of ${who}?`}
        action="End process"
        danger
        onClose={() => ask(null)}
        onConfirm={() => end.mutateAsync(id)}
      >
        It gets SIGTERM now, and SIGKILL if it does not leave. What it has not saved is lost.
      </ConfirmModal>
      <Exempt violation={violation} opened={asked === 'exempt'} onClose={() => ask(null)} />
    </Group>
  );
}

const HOURS = [
  { value: '1', label: '1 hour' },
  { value: '4', label: '4 hours' },
  { value: '24', label: 'a day' },
  { value: '168', label: 'a week' },
];

interface ExemptProps {
  violation: Violation;
  opened: boolean;
  onClose: () => void;
}

function Exempt({ violation, opened, onClose }: ExemptProps) {
  const exempt = useExemptViolation(violation.id);
  const [hours, setHours] = useState('4');
  const [why, setWhy] = useState('');
  const [everywhere, setEverywhere] = useState(false);
  const until = () => new Date(Date.now() + Number(hours) * 3_600_000).toISOString();
  return (
    <ConfirmModal
      opened={opened}
      title={`Exempt ${whoText(violation)}?`}
      action="Exempt"
      fields
      onClose={onClose}
      onConfirm={() => exempt.mutateAsync({ until: until(), why, everywhere })}
    >
      <Stack gap="sm">
        <Select
          label="For"
          data={HOURS}
          value={hours}
          allowDeselect={false}
          onChange={(chosen) => setHours(chosen ?? '4')}
          data-autofocus
        />
        <TextInput label="Why" maxLength={500} value={why} onChange={(event) => setWhy(event.currentTarget.value)} />
        <Switch
          label={`On all GPUs, not only on ${violation.device_name}`}
          checked={everywhere}
          onChange={(event) => setEverywhere(event.currentTarget.checked)}
        />
      </Stack>
    </ConfirmModal>
  );
}
