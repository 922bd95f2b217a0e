import { Title } from '@mantine/core';
import type { Node } from '../../api/types';
import { bytes, number, percent, plural } from '../../lib/format';
import styles from './Cluster.module.css';
import { CpuSlots } from './CpuSlots';
import { isUsable, ofKind, share } from './clusterLib';
import { GpuList } from './GpuList';
import { Meter } from './Meter';

/** One machine: how busy it is, and what runs on each of its devices. */
export function NodeCard({ node }: { node: Node }) {
  const { slots, slots_used: used = 0, devices = [], memory, memory_free: free } = node;
  const taken = memory != null && free != null ? memory - free : null;
  return (
    <section className={`app-panel ${styles.node}`} aria-label={node.name}>
      <header className={styles.head}>
        <Title order={3} className="app-wrap-anywhere">
          {node.name}
        </Title>
        <span className={styles.state} data-up={isUsable(node) || undefined} title={node.reason ?? undefined}>
          {node.state}
        </span>
      </header>
      <div className={styles.inside}>
        <div className={styles.meters}>
          <Meter name="Slots" part={share(used, slots)} text={`${used} of ${slots} in use`} />
          <Meter
            name="Memory"
            part={share(taken, memory)}
            text={taken === null ? bytes(memory) : `${bytes(taken)} of ${bytes(memory)}`}
            hint={free == null ? undefined : `${bytes(free)} free, ${percent(share(taken, memory))} in use`}
          />
          <Meter
            name="Load"
            part={share(node.load, node.cpus)}
            text={
              node.load == null ? plural(node.cpus, 'core') : `${number(node.load, 2)} on ${plural(node.cpus, 'core')}`
            }
            hint="Processes that run or wait for a core, over the last minute"
          />
        </div>
        <div className={styles.lists}>
          <GpuList gpus={ofKind(devices, 'gpu')} />
          <CpuSlots slots={ofKind(devices, 'cpu')} />
        </div>
      </div>
    </section>
  );
}
