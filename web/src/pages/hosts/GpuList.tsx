import type { Device } from '../../api/types';
import { bytes, percent } from '../../lib/format';
import { DeviceHead } from './DeviceHead';
import { GpuProcesses } from './GpuProcesses';
import styles from './Hosts.module.css';
import { Meter } from './Meter';
import { bytesOf, share, usedOf } from './nodes';
import { Occupants } from './Occupants';

/** Every GPU: how busy it is, and what runs on it. */
export function GpuList({ gpus }: { gpus: readonly Device[] }) {
  if (gpus.length === 0) {
    return (
      <div>
        <h4 className={styles.kind}>GPUs</h4>
        <p className={styles.note}>
          No GPU was found on this node. Tasks run on its CPU slots; a task that asks for a GPU cannot run here.
        </p>
      </div>
    );
  }
  return (
    <div>
      <DeviceHead name="GPUs" used={usedOf(gpus)} total={gpus.length} />
      <ul className={styles.gpuGrid}>
        {gpus.map((gpu) => (
          <Gpu key={gpu.id} gpu={gpu} />
        ))}
      </ul>
    </div>
  );
}

function Gpu({ gpu }: { gpu: Device }) {
  const { id, name, load, memory, memory_used: used, processes = [] } = gpu;
  return (
    <li aria-label={`GPU ${id}`}>
      <div className={styles.gpuHead}>
        <span className={styles.device}>
          <b>{id}</b> {name}
          {memory != null && used == null && <span className={styles.quiet}> {bytes(memory)}</span>}
        </span>
        <Occupants device={gpu} />
      </div>
      {(load != null || used != null) && (
        <div className={styles.pair}>
          <Meter name="Load" part={load ?? null} text={percent(load)} hint="Share of the time in which it is busy" />
          <Meter
            name="Memory"
            part={share(used, memory)}
            text={used != null && memory != null ? bytesOf(used, memory) : bytes(used ?? memory)}
          />
        </div>
      )}
      <GpuProcesses processes={processes} />
    </li>
  );
}
