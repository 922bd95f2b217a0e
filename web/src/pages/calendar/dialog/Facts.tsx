import { useMe } from '../../../api/me';
import { useOwnQuota } from '../../../api/reservations';
import type { QuotaUse, ReservableDevice } from '../../../api/types';
import { duration, number, shownZone } from '../../../lib/format';
import styles from '../Calendar.module.css';
import { type Form, timesOf } from '../lib/form';
import { gpuCount, gpuHours, gpusText } from '../lib/words';

interface Props {
  form: Form;
  known: ReadonlyMap<string, ReservableDevice>;
  maintenance: boolean;
}

/** How much it is, and how much is left of one's quota. */
export function Facts({ form, known, maintenance }: Props) {
  const { team } = useMe();
  const own = form.owner === null && !maintenance;
  const { from, until } = timesOf(form, shownZone());
  const quota = useOwnQuota(from ?? Date.now(), team && own && from !== null);
  if (from === null || until === null || until <= from || form.devices.length === 0) return null;
  const start = Math.max(from, Date.now());
  const hours = gpuHours(form.devices, known, start, until);
  const left = own ? (quota.data ?? []) : [];
  return (
    <p className={styles.facts}>
      <span>
        {gpusText(gpuCount(form.devices, known))} for {duration((until - start) / 1000)}: {number(hours, 3)} GPU-hours
      </span>
      {left.map((use) => {
        const said = wordsOf(use);
        return (
          said && (
            <span key={use.field} data-over={(use.field === 'gpu_hours_week' && hours > use.left) || undefined}>
              {said}
            </span>
          )
        );
      })}
    </p>
  );
}

function wordsOf({ field, left, limit }: QuotaUse): string {
  if (field === 'gpu_hours_week')
    return `${number(Math.max(left, 0), 3)} of ${number(limit, 3)} GPU-hours left that week`;
  if (field === 'devices_at_once') return `at most ${number(limit)} GPUs at once`;
  if (field === 'open_reservations') return `${number(Math.max(left, 0))} of ${number(limit)} open reservations left`;
  if (field === 'longest_hours') return `at most ${duration(limit * 3600)} long`;
  return `up to ${number(limit)} days ahead`;
}
