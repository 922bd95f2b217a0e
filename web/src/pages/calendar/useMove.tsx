import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useEditReservation } from '../../api/reservations';
import type { Reservation } from '../../api/types';
import { shownZone } from '../../lib/format';
import { failed, offer } from '../../parts/notify';
import { sameOnes } from './lib/form';
import { boxName, spanName } from './lib/words';
import type { Change } from './timeline/place';

const text = (at: number) => new Date(at).toISOString();

/** A reservation that was dragged elsewhere: it can be taken back. What the server refuses is shown in the dialog. */
export function useMove(onRefused: (change: Change, error: unknown) => void) {
  const edit = useEditReservation();
  const [pending, setPending] = useState<Change | null>(null);

  const save = async ({ reservation, devices, from, until }: Change): Promise<Reservation> => {
    const { id, version, starts_at, ends_at, devices: before } = reservation;
    const patch = {
      version,
      ...(!sameOnes(devices, before) && { devices }),
      ...(from !== Date.parse(starts_at) && { starts_at: text(from) }),
      ...(until !== Date.parse(ends_at) && { ends_at: text(until) }),
    };
    return edit.mutateAsync({ id, patch });
  };

  const change = async (wanted: Change) => {
    setPending(wanted);
    try {
      const { reservation } = wanted;
      const now = await save(wanted);
      offer((close) => {
        const back = async () => {
          close();
          const [from, until] = [Date.parse(reservation.starts_at), Date.parse(reservation.ends_at)];
          await save({ reservation: now, devices: reservation.devices, from, until }).catch(failed);
        };
        return <Moved change={wanted} onUndo={back} />;
      });
    } catch (error) {
      onRefused(wanted, error);
    } finally {
      setPending(null);
    }
  };
  return { pending, change };
}

function Moved({ change, onUndo }: { change: Change; onUndo: () => void }) {
  const { reservation, from, until } = change;
  return (
    <Group gap="sm" wrap="nowrap" justify="space-between">
      <Text size="sm" className="app-wrap-anywhere">
        {boxName(reservation)} is now {spanName(from, until, shownZone())}.
      </Text>
      <Button size="compact-sm" variant="default" onClick={onUndo}>
        Undo
      </Button>
    </Group>
  );
}
