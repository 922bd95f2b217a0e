import { SegmentedControl, Text } from '@mantine/core';
import { type CSSProperties, useMemo, useState } from 'react';
import type { ReservableDevice, Reservation } from '../../api/types';
import { hueOf } from '../../lib/people';
import styles from './Calendar.module.css';
import { overlaps } from './lib/rows';
import type { Span } from './lib/span';
import { boxName, dayName, deviceNames, spanName } from './lib/words';
import type { CalendarView } from './view';

interface Props {
  reservations: readonly Reservation[];
  devices: readonly ReservableDevice[];
  span: Span;
  name: string;
  view: CalendarView;
  onOpen: (reservation: Reservation) => void;
}

/** Day by day, for a narrow screen. */
export function Agenda({ reservations, devices, span, name, view, onOpen }: Props) {
  const [whose, setWhose] = useState('mine');
  const known = useMemo(() => new Map(devices.map((one) => [one.id, one])), [devices]);
  const shown = reservations.filter(
    (one) =>
      overlaps(one, view.from ? span.from : Date.now(), span.until) &&
      (whose === 'all' || one.owner === name || one.guests?.includes(name)) &&
      one.devices.some((id) => fits(known.get(id), view)),
  );
  const days = span.days.slice(0, -1).map((day, index) => ({
    day,
    // Each on the day on which it begins; what has begun before, on the first.
    entries: shown
      .filter((one) => startsOn(one, index === 0 ? 0 : day, span.days[index + 1] as number))
      .sort((a, b) => Date.parse(a.starts_at) - Date.parse(b.starts_at)),
  }));
  return (
    <section className={styles.agenda} aria-label="Agenda">
      <SegmentedControl
        fullWidth
        aria-label="Whose"
        data={[
          { value: 'mine', label: 'Mine' },
          { value: 'all', label: 'All' },
        ]}
        value={whose}
        onChange={setWhose}
      />
      {shown.length === 0 && (
        <Text size="sm" c="dimmed" mt="md">
          {whose === 'mine' ? 'You have reserved nothing in these days.' : 'Nothing is reserved in these days.'}
        </Text>
      )}
      {days.map(
        ({ day, entries }) =>
          entries.length > 0 && (
            <div key={day}>
              <h2>{dayName(day, span.zone)}</h2>
              <ul className={styles.plain}>
                {entries.map((one) => (
                  <li key={one.id}>
                    <button
                      type="button"
                      className={`${styles.entry} app-wrap-anywhere`}
                      style={{ '--hue': hueOf(one.owner ?? '') } as CSSProperties}
                      data-maintenance={one.kind === 'maintenance' || undefined}
                      onClick={() => onOpen(one)}
                    >
                      {boxName(one)}
                      <small>{spanName(Date.parse(one.starts_at), Date.parse(one.ends_at), span.zone)}</small>
                      <small>{deviceNames(one.devices, known)}</small>
                    </button>
                  </li>
                ))}
              </ul>
            </div>
          ),
      )}
    </section>
  );
}

function startsOn({ starts_at }: Reservation, from: number, until: number): boolean {
  const start = Date.parse(starts_at);
  return start >= from && start < until;
}

function fits(device: ReservableDevice | undefined, { host, model }: CalendarView): boolean {
  return device !== undefined && (!host || device.host === host) && (!model || device.model === model);
}
