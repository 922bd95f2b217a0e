import type { Device } from '../../api/types';
import { plural } from '../../lib/format';
import { DeviceHead } from './DeviceHead';
import styles from './Hosts.module.css';
import { isUsed, tasksOn, usedOf } from './nodes';
import { Occupants } from './Occupants';
import { RunningTask } from './RunningTask';

const FEW = 16;

/** The slots for tasks without a GPU: each with its task; where there are many, a strip and the tasks. */
export function CpuSlots({ slots }: { slots: readonly Device[] }) {
  if (slots.length === 0) return null;
  return (
    <div>
      <DeviceHead name="CPU slots" used={usedOf(slots)} total={slots.length} />
      {slots.length > FEW ? <ManySlots slots={slots} /> : <FewSlots slots={slots} />}
    </div>
  );
}

function FewSlots({ slots }: { slots: readonly Device[] }) {
  return (
    <ul className={styles.devices}>
      {slots.map((slot) => (
        <li key={slot.id}>
          <span className={styles.device}>Slot {slot.id}</span>
          <Occupants device={slot} />
        </li>
      ))}
    </ul>
  );
}

function ManySlots({ slots }: { slots: readonly Device[] }) {
  const label = `${usedOf(slots)} of ${plural(slots.length, 'CPU slot')} in use`;
  return (
    <>
      <div className={styles.strip} role="img" aria-label={label}>
        {slots.map((slot) => (
          <span key={slot.id} data-used={isUsed(slot) || undefined} title={`Slot ${slot.id}: ${slotText(slot)}`} />
        ))}
      </div>
      <ul className={styles.devices}>
        {tasksOn(slots).map(({ task, devices }) => (
          <li key={task}>
            <RunningTask task={task} />
            <span className={`${styles.quiet} ${styles.device}`} title={devices.join(', ')}>
              {plural(devices.length, 'slot')}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function slotText({ used_by: used = [], tasks = [] }: Device): string {
  return tasks.join(', ') || (used.length ? 'in use' : 'free');
}
