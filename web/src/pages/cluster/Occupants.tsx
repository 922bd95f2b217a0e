import type { Device } from '../../api/types';
import styles from './Cluster.module.css';
import { isUsed } from './clusterLib';
import { RunningTask } from './RunningTask';

/** What runs on a device. */
export function Occupants({ device }: { device: Device }) {
  const { tasks = [] } = device;
  if (!isUsed(device)) return <span className={styles.free}>free</span>;
  if (tasks.length === 0) return <span className={styles.quiet}>in use</span>;
  return (
    <span className={styles.occupants}>
      {tasks.map((task) => (
        <RunningTask key={task} task={task} />
      ))}
    </span>
  );
}
