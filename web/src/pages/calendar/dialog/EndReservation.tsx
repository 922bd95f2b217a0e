import { Button, Checkbox, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useCancelReservation, useReleaseReservation } from '../../../api/reservations';
import type { Reservation } from '../../../api/types';
import { ConfirmModal } from '../../../parts/ConfirmModal';
import { done } from '../../../parts/notify';
import type { Phase } from '../lib/form';
import { boxName } from '../lib/words';

interface Props {
  reservation: Reservation;
  phase: Phase;
  onDone: () => void;
}

/** Cancel it before it begins; give the rest back while it runs. */
export function EndReservation({ reservation, phase, onDone }: Props) {
  const [asking, setAsking] = useState(false);
  const [series, setSeries] = useState(false);
  const cancel = useCancelReservation();
  const release = useReleaseReservation();
  const { id } = reservation;
  const running = phase === 'running';
  if (phase === 'over') return null;
  const confirm = async () => {
    await (running ? release.mutateAsync(id) : cancel.mutateAsync({ id, series }));
    done(running ? 'The rest of it is free again' : 'The reservation is cancelled');
    onDone();
  };
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        {running ? 'Release the rest' : 'Cancel reservation'}
      </Button>
      <ConfirmModal
        opened={asking}
        title={running ? 'Release the rest of it?' : 'Cancel this reservation?'}
        action={running ? 'Release' : 'Cancel reservation'}
        danger
        onClose={() => setAsking(false)}
        onConfirm={confirm}
      >
        <Stack gap="sm">
          <Text size="sm" className="app-wrap-anywhere">
            {running
              ? 'Others can reserve the GPUs from now on. What runs on them goes on while nobody else has reserved them.'
              : `${boxName(reservation)}: others can reserve its GPUs then.`}
          </Text>
          {!running && reservation.series && (
            <Checkbox
              label="All of its weeks that have not begun"
              checked={series}
              onChange={(event) => setSeries(event.currentTarget.checked)}
            />
          )}
        </Stack>
      </ConfirmModal>
    </>
  );
}
