import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { BookingProblem, BookingResult, FreeSlot, ReservableDevice } from '../../../api/types';
import { plural, shownZone } from '../../../lib/format';
import { IconAlert } from '../../../parts/icons';
import styles from '../Calendar.module.css';
import { spanName } from '../lib/words';
import { Slots } from './Slots';

interface Props {
  booking: BookingResult;
  known: ReadonlyMap<string, ReservableDevice>;
  series: boolean;
  busy: boolean;
  onTake: (slot: FreeSlot) => void;
  /** The other weeks of a series. */
  onSkip: () => void;
  onWait?: (() => void) | undefined;
}

const SHOWN = 6;

/** Why the server refuses it, and what could be reserved instead. */
export function Refusal({ booking, known, series, busy, onTake, onSkip, onWait }: Props) {
  const { problems = [], free = [], waits_for: waits } = booking;
  const taken = problems.some(({ kind }) => kind === 'taken');
  return (
    <Alert color="red" variant="outline" icon={<IconAlert />} title="This cannot be reserved" role="alert">
      <Stack gap="xs">
        <ul className={styles.plain}>
          {problems.slice(0, SHOWN).map((problem, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they have nothing else, and never move
            <li key={index}>{wordsOf(problem, known)}</li>
          ))}
        </ul>
        {problems.length > SHOWN && <Text size="sm">and {plural(problems.length - SHOWN, 'other')}</Text>}
        {free.length > 0 && (
          <>
            <Text size="sm" fw={600}>
              First free
            </Text>
            <Slots slots={free} known={known} onTake={onTake} />
          </>
        )}
        <Group gap="xs">
          {series && (
            <Button size="xs" variant="default" loading={busy} onClick={onSkip}>
              Reserve the other weeks
            </Button>
          )}
          {taken && onWait && waits == null && (
            <Button size="xs" variant="default" loading={busy} onClick={onWait}>
              Tell me when it is free
            </Button>
          )}
          {waits != null && <Text size="sm">You get a notice when it becomes free.</Text>}
        </Group>
      </Stack>
    </Alert>
  );
}

/** In the server's words; times of other reservations in the zone of this page, which the server may not know. */
function wordsOf({ kind, message, device, owner, starts_at, ends_at }: BookingProblem, known: Props['known']): string {
  if (kind !== 'taken' || !device || !starts_at || !ends_at) return message;
  const whose = owner ? `reserved by ${owner}` : 'in maintenance';
  const when = spanName(Date.parse(starts_at), Date.parse(ends_at), shownZone());
  return `${known.get(device)?.name ?? device} is ${whose}: ${when}.`;
}
