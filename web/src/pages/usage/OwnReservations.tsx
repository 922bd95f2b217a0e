import { Badge, Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useDevices, useReleaseReservation, useReservations } from '../../api/reservations';
import { useOwnUse } from '../../api/usage';
import { bytes, clock, percent, plural } from '../../lib/format';
import { CardTable } from '../../parts/CardTable';
import { ConfirmModal } from '../../parts/ConfirmModal';
import { EmptyState } from '../../parts/EmptyState';
import { IconClock } from '../../parts/icons';
import { Loaded } from '../../parts/Page';
import styles from './Usage.module.css';
import { type UsedReservation, usedReservations } from './usageLib';

const COLUMNS = ['GPUs', 'From', 'Until', 'Load', 'Peak', 'Memory', 'Used', ''];
const DAY = 86_400_000;

/** How well one's own reservations are used, also while they run. */
export function OwnReservations({ since }: { since: number }) {
  const reservations = useReservations(since, since + 400 * DAY);
  const uses = useOwnUse(since);
  const devices = useDevices();
  const names = new Map(devices.data?.map(({ id, name }) => [id, name]));
  return (
    <Loaded query={reservations} what="list of reservations">
      {(all) => (
        <Loaded query={uses} what="use of reservations">
          {(found) => {
            const shown = usedReservations(all, found, Date.now());
            if (shown.length === 0) {
              return (
                <EmptyState icon={IconClock} title="No reservation of yours has begun in this time">
                  You can reserve GPUs in the <Link href="/calendar">calendar</Link>.
                </EmptyState>
              );
            }
            return (
              <CardTable label="My reservations" columns={COLUMNS}>
                {shown.map((one) => (
                  <Row key={one.reservation.id} one={one} names={names} />
                ))}
              </CardTable>
            );
          }}
        </Loaded>
      )}
    </Loaded>
  );
}

function Row({ one, names }: { one: UsedReservation; names: Map<string, string> }) {
  const { id, devices, title, starts_at, ends_at } = one.reservation;
  const listed = devices.map((device) => names.get(device) ?? 'one that is gone').toSorted();
  const gpus = listed.slice(0, 4).join(', ') + (listed.length > 4 ? ` and ${listed.length - 4} more` : '');
  return (
    <tr>
      <td data-wide className="app-wrap-anywhere">
        <Link href={`/calendar?reservation=${id}`}>{gpus}</Link>{' '}
        {one.idle && (
          <Badge color="gray.7" variant="filled" size="sm">
            idle
          </Badge>
        )}
        {title && <div className={styles.quiet}>{title}</div>}
      </td>
      <td data-label="From">{clock(starts_at)}</td>
      <td data-label="Until">{clock(ends_at)}</td>
      <td data-label="Load" className={styles.figure}>
        {percent(one.loadMean)}
      </td>
      <td data-label="Peak" className={styles.figure}>
        {percent(one.loadPeak)}
      </td>
      <td data-label="Memory" className={styles.figure}>
        {bytes(one.memoryPeak)}
      </td>
      <td data-label="Used" className={styles.figure}>
        {percent(one.used)}
      </td>
      <td>{one.runs && <Release id={id} gpus={gpus} count={devices.length} idle={one.idle} />}</td>
    </tr>
  );
}

function Release({ id, gpus, count, idle }: { id: string; gpus: string; count: number; idle: boolean }) {
  const [asked, setAsked] = useState(false);
  const release = useReleaseReservation();
  return (
    <>
      <Button size="compact-sm" variant={idle ? 'filled' : 'default'} onClick={() => setAsked(true)}>
        {idle ? 'Release?' : 'Release'}
      </Button>
      <ConfirmModal
        opened={asked}
        title="Release the rest of this reservation?"
        action="Release"
        onClose={() => setAsked(false)}
        onConfirm={() => release.mutateAsync(id)}
      >
        {plural(count, 'GPU')} ({gpus}) will be free for others from now on. What runs there goes on until somebody else
        has them.
      </ConfirmModal>
    </>
  );
}
