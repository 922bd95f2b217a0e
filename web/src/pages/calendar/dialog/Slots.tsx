import { Button } from '@mantine/core';
import type { FreeSlot, ReservableDevice } from '../../../api/types';
import { shownZone } from '../../../lib/format';
import styles from '../Calendar.module.css';
import { deviceNames, momentName, spanName } from '../lib/words';

interface Props {
  slots: readonly FreeSlot[];
  known: ReadonlyMap<string, ReservableDevice>;
  onTake: (slot: FreeSlot) => void;
}

/** Free times, the earliest first. */
export function Slots({ slots, known, onTake }: Props) {
  const zone = shownZone();
  return (
    <ul className={styles.plain} aria-label="Free slots">
      {slots.map((slot) => {
        const [from, until] = [Date.parse(slot.starts_at), Date.parse(slot.ends_at)];
        return (
          <li key={`${slot.host} ${slot.starts_at} ${slot.devices.join()}`} className={styles.slot}>
            <span>
              {spanName(from, until, zone)}
              <small>{deviceNames(slot.devices, known, 8)}</small>
            </span>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Take ${slot.host}, ${momentName(from, zone)}`}
              onClick={() => onTake(slot)}
            >
              Take
            </Button>
          </li>
        );
      })}
    </ul>
  );
}
