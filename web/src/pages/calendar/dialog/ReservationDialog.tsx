import {
  Alert,
  Button,
  Checkbox,
  Group,
  Modal,
  MultiSelect,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { type FormEvent, useMemo, useState } from 'react';
import { ApiError } from '../../../api/client';
import { useMe } from '../../../api/me';
import { useAccounts, useGroups } from '../../../api/people';
import { useEditReservation, useReserve } from '../../../api/reservations';
import type { FreeSlot, ReservableDevice, Reservation, ReservationRequest } from '../../../api/types';
import { plural, shownZone } from '../../../lib/format';
import { fieldText } from '../../../lib/zone';
import { ErrorPanel } from '../../../parts/ErrorPanel';
import { IconAlert } from '../../../parts/icons';
import { done } from '../../../parts/notify';
import styles from '../Calendar.module.css';
import { inTheWay } from '../lib/boxes';
import { type Form, formOf, missing, newForm, patchOf, phaseOf, requestOf, timesOf, type Wanted } from '../lib/form';
import { groupsOf, shortModel } from '../lib/rows';
import { boxName, deviceNames, spanName } from '../lib/words';
import { Details } from './Details';
import { EndReservation } from './EndReservation';
import { Facts } from './Facts';
import { Refusal } from './Refusal';

export type Opened =
  | { kind: 'new'; wanted: Wanted }
  /** `wanted`: what was tried by dragging, and refused with `error`. */
  | { kind: 'edit'; reservation: Reservation; wanted?: Wanted; error?: unknown };

interface Props {
  opened: Opened;
  devices: readonly ReservableDevice[];
  reservations: readonly Reservation[];
  mayChange: (reservation: Reservation) => 'all' | 'end' | 'nothing';
  onClose: () => void;
}

/** To make a reservation, to change one's own, or to read about one of others. */
export function ReservationDialog(props: Props) {
  const { opened, devices, mayChange, onClose } = props;
  const reservation = opened.kind === 'edit' ? opened.reservation : null;
  const known = useMemo(() => new Map(devices.map((one) => [one.id, one])), [devices]);
  const may = reservation ? mayChange(reservation) : 'all';
  const title = reservation ? boxName(reservation) : 'Reserve GPUs';
  return (
    <Modal opened onClose={onClose} title={title} size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      {reservation && may === 'nothing' ? (
        <Details reservation={reservation} known={known} />
      ) : (
        <ReservationForm {...props} may={may} known={known} />
      )}
    </Modal>
  );
}

interface FormProps extends Props {
  may: 'all' | 'end' | 'nothing';
  known: ReadonlyMap<string, ReservableDevice>;
}

function ReservationForm({ opened, devices, reservations, may, known, onClose }: FormProps) {
  const { team, role } = useMe();
  const zone = shownZone();
  const reservation = opened.kind === 'edit' ? opened.reservation : null;
  const [form, setForm] = useState<Form>(() =>
    reservation ? formOf(reservation, opened.wanted ?? null, zone) : newForm(opened.wanted as Wanted, zone),
  );
  const [error, setError] = useState<unknown>(opened.kind === 'edit' ? (opened.error ?? null) : null);
  const change = (changes: Partial<Form>) => {
    setForm((before) => ({ ...before, ...changes }));
    setError(null);
  };
  const reserve = useReserve();
  const edit = useEditReservation();
  const { from, until } = timesOf(form, zone);
  const lacks = missing(form, zone, Date.now());
  const ways = useMemo(
    () => (from === null || until === null ? [] : inTheWay(reservations, form.devices, from, until, reservation?.id)),
    [reservations, form.devices, from, until, reservation],
  );
  const running = may === 'end';
  const booking = error instanceof ApiError ? error.booking : null;

  const send = async (more: Partial<ReservationRequest> = {}) => {
    setError(null);
    try {
      if (reservation) {
        await edit.mutateAsync({ id: reservation.id, patch: patchOf(form, reservation, zone) });
        done('The reservation is changed');
      } else {
        const made = await reserve.mutateAsync({ ...requestOf(form, zone, Date.now()), ...more });
        const count = made.reservations?.length ?? 0;
        done(count > 1 ? `${plural(count, 'reservation')} are made, one per week` : 'The GPUs are reserved');
      }
      onClose();
    } catch (failure) {
      setError(failure);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (event.target === event.currentTarget) send(); // not the form of a dialog over this one
  };
  const take = ({ devices: ids, starts_at, ends_at }: FreeSlot) =>
    change({ devices: ids, from: fieldText(Date.parse(starts_at), zone), until: fieldText(Date.parse(ends_at), zone) });

  return (
    <Stack component="form" gap="sm" onSubmit={submit}>
      <TextInput
        label="Title"
        placeholder="What for"
        maxLength={100}
        data-autofocus
        value={form.title}
        onChange={(event) => change({ title: event.currentTarget.value })}
      />
      <MultiSelect
        label="GPUs"
        searchable
        disabled={running}
        limit={100}
        maxDropdownHeight={260}
        data={groupsOf(devices).map(({ name, devices: own }) => ({
          group: name,
          items: own.map(({ id, name: label, model = '' }) => ({
            value: id,
            label: `${label} ${shortModel(model)}`.trim(),
          })),
        }))}
        value={form.devices}
        onChange={(ids) => change({ devices: ids })}
        nothingFoundMessage="No such GPU"
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          type="datetime-local"
          step={900}
          label="From"
          description={zone}
          disabled={running}
          value={form.from}
          onChange={(event) => change({ from: event.currentTarget.value })}
        />
        <TextInput
          type="datetime-local"
          step={900}
          label="Until"
          description={zone}
          value={form.until}
          onChange={(event) => change({ until: event.currentTarget.value })}
        />
      </SimpleGrid>
      <Facts form={form} known={known} maintenance={form.maintenance} />
      {ways.length > 0 && !booking && (
        <Alert
          color="orange"
          variant="outline"
          icon={<IconAlert />}
          title="Already reserved"
          role="status"
          styles={{ title: { color: 'var(--state-stopped-fg)' }, icon: { color: 'var(--state-stopped-fg)' } }}
        >
          <ul className={styles.plain}>
            {ways.slice(0, 5).map((one) => (
              <li key={one.id}>
                {boxName(one)}, {deviceNames(one.devices, known)}:{' '}
                {spanName(Date.parse(one.starts_at), Date.parse(one.ends_at), zone)}
              </li>
            ))}
          </ul>
          {ways.length > 5 && <Text size="sm">and {plural(ways.length - 5, 'other')}</Text>}
        </Alert>
      )}
      {booking ? (
        <Refusal
          booking={booking}
          known={known}
          series={form.weekly && !reservation}
          busy={reserve.isPending}
          onTake={take}
          onSkip={() => send({ skip_conflicts: true })}
          onWait={reservation ? undefined : () => send({ notify_if_free: true })}
        />
      ) : (
        error !== null && <ErrorPanel error={error} />
      )}
      <Textarea
        label="Description"
        maxLength={2000}
        rows={2}
        value={form.description}
        onChange={(event) => change({ description: event.currentTarget.value })}
      />
      {team && !form.maintenance && <Guests form={form} onChange={change} />}
      {!reservation && <Repeat form={form} onChange={change} />}
      {!reservation && role === 'admin' && <ForAdmins form={form} onChange={change} />}
      <Group justify="space-between">
        {reservation ? (
          <EndReservation reservation={reservation} phase={phaseOf(reservation, Date.now())} onDone={onClose} />
        ) : (
          <span />
        )}
        <Group>
          {lacks && (
            <Text size="sm" c="dimmed">
              {lacks}
            </Text>
          )}
          <Button type="submit" disabled={lacks !== ''} loading={reserve.isPending || edit.isPending}>
            {reservation ? 'Save' : 'Reserve'}
          </Button>
        </Group>
      </Group>
    </Stack>
  );
}

interface PartProps {
  form: Form;
  onChange: (changes: Partial<Form>) => void;
}

const GROUP = 'group ';

/** Accounts and groups in one field. */
function Guests({ form, onChange }: PartProps) {
  const { name } = useMe();
  const accounts = useAccounts();
  const groups = useGroups();
  const people = (accounts.data ?? []).filter((one) => one.active !== false && one.name !== (form.owner ?? name));
  return (
    <MultiSelect
      label="Guests"
      description="They may use the GPUs, too"
      searchable
      limit={100}
      data={[
        { group: 'People', items: people.map((one) => one.name) },
        { group: 'Groups', items: (groups.data ?? []).map((one) => ({ value: GROUP + one.name, label: one.name })) },
      ]}
      value={[...form.guests, ...form.groups.map((one) => GROUP + one)]}
      onChange={(chosen) =>
        onChange({
          guests: chosen.filter((one) => !one.startsWith(GROUP)),
          groups: chosen.filter((one) => one.startsWith(GROUP)).map((one) => one.slice(GROUP.length)),
        })
      }
      nothingFoundMessage="Nobody of that name"
    />
  );
}

function Repeat({ form, onChange }: PartProps) {
  return (
    <Group align="center" gap="md" mih={36}>
      <Checkbox
        label="Repeat every week"
        checked={form.weekly}
        onChange={(event) => onChange({ weekly: event.currentTarget.checked })}
      />
      {form.weekly && (
        <TextInput
          type="date"
          aria-label="Repeat until"
          value={form.repeatUntil}
          onChange={(event) => onChange({ repeatUntil: event.currentTarget.value })}
        />
      )}
    </Group>
  );
}

function ForAdmins({ form, onChange }: PartProps) {
  const { team, name } = useMe();
  const accounts = useAccounts(team);
  return (
    <Group align="center" gap="md">
      {team && !form.maintenance && (
        <Select
          aria-label="For"
          placeholder="For yourself"
          searchable
          clearable
          clearButtonProps={{ 'aria-label': 'For yourself' }}
          data={(accounts.data ?? []).filter((one) => one.role !== 'guest' && one.name !== name).map((one) => one.name)}
          value={form.owner}
          onChange={(owner) => onChange({ owner })}
        />
      )}
      <Checkbox
        label="Maintenance: nobody may use them"
        checked={form.maintenance}
        onChange={(event) => onChange({ maintenance: event.currentTarget.checked })}
      />
    </Group>
  );
}
