import type { Device } from '../../api/types';
import { bytes } from '../../lib/format';
import styles from './Cluster.module.css';
import { usedOf } from './clusterLib';
import { DeviceHead } from './DeviceHead';
import { Occupants } from './Occupants';

/** Every GPU with what runs on it. */
export function GpuList({ gpus }: { gpus: readonly Device[] }) {
  if (gpus.length === 0) {
    return (
      <div>
        <h4 className={styles.kind}>GPUs</h4>
        <p className={styles.note}>
          No GPU was found on this machine. Tasks run on its CPU slots; a task that asks for a GPU cannot run here.
        </p>
      </div>
    );
  }
  return (
    <div>
      <DeviceHead name="GPUs" used={usedOf(gpus)} total={gpus.length} />
      <ul className={styles.devices}>
        {gpus.map((gpu) => (
          <li key={gpu.id}>
            <span className={styles.device}>
              <b>{gpu.id}</b> {gpu.name}
              {gpu.memory != null && <span className={styles.quiet}> {bytes(gpu.memory)}</span>}
            </span>
            <Occupants device={gpu} />
          </li>
        ))}
      </ul>
    </div>
  );
}
