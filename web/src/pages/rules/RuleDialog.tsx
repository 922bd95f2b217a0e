import {
  Checkbox,
  Group,
  Input,
  MultiSelect,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useMemo, useState } from 'react';
import { useNodes } from '../../api/load';
import { useAccounts, useGroups } from '../../api/people';
import { useDevices } from '../../api/reservations';
import { useSaveRule } from '../../api/rules';
import { useBackends } from '../../api/system';
import type { AccessRule } from '../../api/types';
import { shownZone } from '../../lib/format';
import { ConfirmModal } from '../../parts/ConfirmModal';
import { draftOf, type RuleDraft, ruleOf } from './rulesLib';
import { WeekGrid } from './WeekGrid';
import { NOTHING } from './week';

interface Props {
  /** None: a new one. */
  rule?: AccessRule;
  opened: boolean;
  onClose: () => void;
}

export function RuleDialog(props: Props) {
  return <RuleForm key={String(props.opened)} {...props} />;
}

interface FieldsProps {
  draft: RuleDraft;
  set: (changes: Partial<RuleDraft>) => void;
}

function RuleForm({ rule, opened, onClose }: Props) {
  const [draft, setDraft] = useState(() => draftOf(rule, shownZone()));
  const set = (changes: Partial<RuleDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const save = useSaveRule();
  const confirm = () => save.mutateAsync({ ...(rule && { id: rule.id }), body: ruleOf(draft, rule) });
  return (
    <ConfirmModal
      opened={opened}
      title={rule ? `Edit ${rule.name}` : 'Add a rule'}
      action={rule ? 'Save' : 'Add'}
      size={680}
      fields
      ready={draft.name.trim() !== '' && draft.acts.length > 0}
      onClose={onClose}
      onConfirm={confirm}
    >
      {opened && (
        <Stack gap="sm">
          <TextInput
            label="Name"
            description="Refusals name it"
            maxLength={100}
            data-autofocus
            value={draft.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <Group gap="lg" align="end">
            <SegmentedControl
              aria-label="Effect"
              data={[
                { value: 'deny', label: 'Deny' },
                { value: 'allow', label: 'Allow' },
              ]}
              value={draft.effect}
              onChange={(effect) => set({ effect: effect as RuleDraft['effect'] })}
            />
            <Checkbox.Group aria-label="What" value={draft.acts} onChange={(acts) => set({ acts })}>
              <Group gap="md" mb={8}>
                <Checkbox value="reserve" label="to reserve" />
                <Checkbox value="run" label="to run jobs" />
              </Group>
            </Checkbox.Group>
          </Group>
          <Who draft={draft} set={set} />
          <What draft={draft} set={set} />
          <When draft={draft} set={set} rule={rule} />
        </Stack>
      )}
    </ConfirmModal>
  );
}

interface ChoiceProps {
  label: string;
  all: string;
  data: (string | { value: string; label: string })[];
  value: string[];
  onChange: (value: string[]) => void;
}

/** Several of a list; nothing chosen means all. */
function Choice({ label, all, data, value, onChange }: ChoiceProps) {
  const known = new Set(data.map((one) => (typeof one === 'string' ? one : one.value)));
  return (
    <MultiSelect
      label={label}
      placeholder={value.length ? '' : all}
      searchable
      data={[...data, ...value.filter((one) => !known.has(one))]}
      value={value}
      onChange={onChange}
      nothingFoundMessage="There is none of that name"
    />
  );
}

function Who({ draft, set }: FieldsProps) {
  const accounts = useAccounts();
  const groups = useGroups();
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      <Choice
        label="People"
        all={draft.groups.length ? 'Only these groups' : 'Everyone'}
        data={(accounts.data ?? []).map(({ name }) => name)}
        value={draft.accounts}
        onChange={(chosen) => set({ accounts: chosen })}
      />
      <Choice
        label="Groups"
        all={draft.accounts.length ? 'Only these people' : 'Everyone'}
        data={(groups.data ?? []).map(({ name }) => name)}
        value={draft.groups}
        onChange={(chosen) => set({ groups: chosen })}
      />
    </SimpleGrid>
  );
}

function What({ draft, set }: FieldsProps) {
  const devices = useDevices();
  const nodes = useNodes();
  const backends = useBackends();
  const there = devices.data ?? [];
  const unique = (names: string[]) => [...new Set(names)].sort();
  const partitions = unique([...there, ...(nodes.data ?? [])].flatMap((one) => one.partitions ?? []));
  const hosts = unique([...there.map(({ host }) => host), ...(nodes.data ?? []).map(({ name }) => name)]);
  const narrowed = draft.hosts.length + draft.devices.length + draft.partitions.length > 0;
  const all = narrowed ? 'None besides' : 'All';
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      <Choice label="Hosts" all={all} data={hosts} value={draft.hosts} onChange={(chosen) => set({ hosts: chosen })} />
      <Choice
        label="GPUs"
        all={all}
        data={there.map(({ id, name }) => ({ value: id, label: name }))}
        value={draft.devices}
        onChange={(chosen) => set({ devices: chosen })}
      />
      {(partitions.length > 0 || draft.partitions.length > 0) && (
        <Choice
          label="Partitions"
          all={all}
          data={partitions}
          value={draft.partitions}
          onChange={(chosen) => set({ partitions: chosen })}
        />
      )}
      {((backends.data ?? []).length > 1 || draft.backends.length > 0) && (
        <Choice
          label="Only of backends"
          all="All"
          data={(backends.data ?? []).map(({ name }) => name)}
          value={draft.backends}
          onChange={(chosen) => set({ backends: chosen })}
        />
      )}
    </SimpleGrid>
  );
}

function When({ draft, set, rule }: FieldsProps & { rule: AccessRule | undefined }) {
  const zones = useMemo(() => [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), draft.zone])], [draft.zone]);
  const painted = draft.cells?.some(Boolean);
  return (
    <>
      <Input.Wrapper
        label="Hours"
        labelElement="div"
        description={painted ? 'Drag over days and hours.' : 'At any time. Drag over days and hours to choose some.'}
      >
        {draft.cells ? (
          <WeekGrid cells={draft.cells} onChange={(cells) => set({ cells })} />
        ) : (
          <Text size="sm">
            These hours do not begin and end at half hours: {rule?.sentence}.{' '}
            <button type="button" className="app-link" onClick={() => set({ cells: NOTHING })}>
              Paint others
            </button>
          </Text>
        )}
      </Input.Wrapper>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
        <Select
          label="Time zone"
          searchable
          allowDeselect={false}
          data={zones}
          value={draft.zone}
          onChange={(zone) => zone && set({ zone })}
        />
        <TextInput
          label="From"
          type="datetime-local"
          value={draft.since}
          onChange={(event) => set({ since: event.currentTarget.value })}
        />
        <TextInput
          label="Until"
          type="datetime-local"
          value={draft.until}
          onChange={(event) => set({ until: event.currentTarget.value })}
        />
      </SimpleGrid>
    </>
  );
}
