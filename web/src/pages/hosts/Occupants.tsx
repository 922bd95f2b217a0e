import type { Device } from '../../api/types';
import styles from './Hosts.module.css';
import { isUsed } from './nodes';
import { RunningTasks } from './RunningTasks';

/** What runs on a device. */
export function Occupants({ device }: { device: Device }) {
  const { tasks = [] } = device;
  if (!isUsed(device) && tasks.length === 0) return <span className={styles.free}>free</span>;
  if (tasks.length === 0) return <span className={styles.quiet}>in use</span>;
  return (
    <span className={styles.occupants}>
      <RunningTasks tasks={tasks} />
    </span>
  );
}
