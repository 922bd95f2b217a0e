import { Stack, Text } from '@mantine/core';
import type { ReservableDevice, Reservation } from '../../../api/types';
import { shownZone } from '../../../lib/format';
import { Owner } from '../../../parts/Person';
import styles from '../Calendar.module.css';
import { deviceNames, spanName } from '../lib/words';

interface Props {
  reservation: Reservation;
  known: ReadonlyMap<string, ReservableDevice>;
}

/** A reservation that one may read, but not change. */
export function Details({ reservation, known }: Props) {
  const { owner, devices, starts_at, ends_at, planned_end, description, guests = [], guest_groups = [] } = reservation;
  const also = [...guests, ...guest_groups.map((name) => `group ${name}`)];
  const notes = [
    reservation.cancelled_at && `Cancelled${reservation.cancelled_why ? `: ${reservation.cancelled_why}` : ''}`,
    reservation.released_at && planned_end !== ends_at && 'Released before its end',
    reservation.outside_since && 'A rule no longer allows it',
    reservation.enforced === 'no' && `Not enforced: ${reservation.enforced_why ?? 'the scheduler does not say why'}`,
    reservation.by !== owner && `Made by ${reservation.by}`,
  ].filter(Boolean);
  return (
    <Stack gap="xs">
      {owner && <Owner name={owner} />}
      <Text size="sm">{spanName(Date.parse(starts_at), Date.parse(ends_at), shownZone())}</Text>
      <Text size="sm" className="app-wrap-anywhere">
        {deviceNames(devices, known, 16)}
      </Text>
      {description && (
        <Text size="sm" className="app-wrap-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
          {description}
        </Text>
      )}
      {also.length > 0 && <Text size="sm">Guests: {also.join(', ')}</Text>}
      {notes.length > 0 && (
        <ul className={styles.plain}>
          {notes.map((note) => (
            <li key={String(note)}>
              <Text size="sm" c="dimmed">
                {note}
              </Text>
            </li>
          ))}
        </ul>
      )}
    </Stack>
  );
}
