import { useMediaQuery } from '@mantine/hooks';
import { useCallback, useMemo, useState } from 'react';
import { useMe } from '../../api/me';
import { useDevices, useReservations } from '../../api/reservations';
import type { ReservableDevice, Reservation } from '../../api/types';
import { shownZone } from '../../lib/format';
import { addDays, DAY, dayText, HOUR } from '../../lib/zone';
import { EmptyState } from '../../parts/EmptyState';
import { IconServer } from '../../parts/icons';
import { Loaded } from '../../parts/Page';
import { Agenda } from './Agenda';
import styles from './Calendar.module.css';
import { CalendarBar } from './CalendarBar';
import { type Opened, ReservationDialog } from './dialog/ReservationDialog';
import { phaseOf } from './lib/form';
import { chosenDevices, groupsOf, rowsOf } from './lib/rows';
import { LENGTHS, spanOf } from './lib/span';
import type { Change } from './timeline/place';
import { Timeline } from './timeline/Timeline';
import { useMove } from './useMove';
import { useShades } from './useShades';
import { useCalendarView } from './view';

export function CalendarTab() {
  const devices = useDevices();
  const days = useDays(); // fetched beside the devices, not after them
  return (
    <Loaded query={devices} what="list of GPUs">
      {(all) =>
        all.length ? (
          <Days devices={all} {...days} />
        ) : (
          <EmptyState icon={IconServer} title="No GPUs">
            No backend has reported a GPU that could be reserved. This page asks again every few seconds.
          </EmptyState>
        )
      }
    </Loaded>
  );
}

/** The days that are shown, and what is reserved then. */
function useDays() {
  const [view, setView] = useCalendarView();
  const zone = shownZone();
  const length = LENGTHS.find((days) => days === view.days) ?? 7;
  const span = useMemo(() => spanOf(view.from, length, zone, Date.now()), [view.from, length, zone]);
  // Days before and after come along, so that one can turn to them at once; and what "free for" asks for.
  const since = Math.min(span.from - length * DAY, Date.now() - HOUR);
  const ahead = view.free > 0 ? Date.now() + view.free * HOUR : 0;
  const until = Math.max(span.until + length * DAY, ahead);
  const reservations = useReservations(rounded(since), rounded(until + HOUR));
  return { view, setView, zone, length, span, reservations };
}

type DaysProps = ReturnType<typeof useDays> & { devices: ReservableDevice[] };

function Days({ devices, view, setView, zone, length, span, reservations }: DaysProps) {
  const { name, role, team, can } = useMe();
  const [opened, setOpened] = useState<Opened | null>(null);
  const phone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const all = reservations.data ?? NONE;
  const rows = useMemo(() => {
    const shown = chosenDevices(devices, view, all, Date.now());
    return rowsOf(groupsOf(shown), new Set(view.folded));
  }, [devices, view, all]);
  const shades = useShades(rows, span);

  const changeable = useCallback(
    (reservation: Reservation, now: number) => {
      const mine = reservation.kind === 'reservation' && reservation.owner === name;
      const phase = phaseOf(reservation, now);
      if (phase === 'over' || (team && !mine && role !== 'admin')) return 'nothing';
      return phase === 'running' ? 'end' : 'all';
    },
    [name, role, team],
  );
  const move = useMove((change: Change, error) =>
    setOpened({ kind: 'edit', wanted: change, error, reservation: change.reservation }),
  );
  const turn = (by: 1 | -1) => setView({ from: dayText(addDays(span.from, by * length, zone), zone) });
  const fold = useCallback(
    (key: string) =>
      setView({ folded: view.folded.includes(key) ? view.folded.filter((one) => one !== key) : [...view.folded, key] }),
    [view.folded, setView],
  );
  const open = useCallback((reservation: Reservation) => setOpened({ kind: 'edit', reservation }), []);
  const shared = { reservations: all, span, onOpen: open };

  return (
    <>
      <CalendarBar
        devices={devices}
        span={span}
        phone={phone}
        onTurn={turn}
        onReserve={(wanted) => setOpened({ kind: 'new', wanted })}
      />
      {reservations.error && !reservations.data ? (
        <Loaded query={reservations} what="list of reservations">
          {() => null}
        </Loaded>
      ) : phone ? (
        <Agenda {...shared} devices={devices} name={name} view={view} />
      ) : (
        <>
          <Timeline
            {...shared}
            rows={rows}
            shades={shades}
            pending={move.pending}
            name={name}
            changeable={changeable}
            canReserve={can('submit')}
            onFold={fold}
            onSelect={(wanted) => setOpened({ kind: 'new', wanted })}
            onChange={move.change}
            onTurn={turn}
          />
          <p className={styles.keys}>
            {can('submit')
              ? 'Drag over GPUs and hours to reserve them; drag a reservation of yours, or its edges, to move or extend it. With keys: arrows, Shift, Enter, M to move.'
              : 'You see what is reserved. Guests cannot reserve GPUs.'}
          </p>
        </>
      )}
      {opened && (
        <ReservationDialog
          key={opened.kind === 'edit' ? opened.reservation.id : 'new'}
          opened={opened}
          devices={devices}
          reservations={all}
          mayChange={(reservation) => changeable(reservation, Date.now())}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  );
}

const NONE: Reservation[] = [];

/** To whole hours, so that looking again asks for the same. */
function rounded(at: number): number {
  return Math.floor(at / HOUR) * HOUR;
}
