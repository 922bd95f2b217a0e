import { Button, Collapse, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Node } from '../../api/types';
import { bytes, integer, number, percent, plural } from '../../lib/format';
import { IconChart } from '../../parts/icons';
import { CpuSlots } from './CpuSlots';
import { GpuList } from './GpuList';
import styles from './Hosts.module.css';
import { Meter } from './Meter';
import { NodeHistory } from './NodeHistory';
import { bytesOf, coreText, gpuUse, isUsable, memoryUsed, ofKind, share } from './nodes';

/** More GPUs than this have the whole width. */
const FEW = 2;

/** One node: how busy it is and was, and what runs on each of its devices. */
export function NodeCard({ node }: { node: Node }) {
  const [open, { toggle }] = useDisclosure(false);
  const { devices = [] } = node;
  const gpus = ofKind(devices, 'gpu');
  return (
    <section className={`app-panel ${styles.node}`} aria-label={node.name}>
      <header className={styles.head}>
        <Title order={3} className="app-wrap-anywhere">
          {node.name}
        </Title>
        <span className={styles.state} data-up={isUsable(node) || undefined} title={node.reason ?? undefined}>
          {node.state}
        </span>
        <Button
          size="compact-sm"
          variant={open ? 'light' : 'default'}
          className={styles.past}
          leftSection={<IconChart size={14} />}
          onClick={toggle}
          aria-expanded={open}
        >
          Over time
        </Button>
      </header>
      <div className={styles.inside} data-many={gpus.length > FEW || undefined}>
        <Meters node={node} />
        <div className={styles.lists}>
          <GpuList gpus={gpus} />
          <CpuSlots slots={ofKind(devices, 'cpu')} />
        </div>
      </div>
      <Collapse expanded={open} keepMounted={false}>
        <div className={styles.below}>
          <NodeHistory node={node} />
        </div>
      </Collapse>
    </section>
  );
}

function Meters({ node }: { node: Node }) {
  const { slots, slots_used: used = 0, devices = [], cpus, memory, memory_free: free } = node;
  const busy = node.cpus_busy ?? node.cpus_used;
  const taken = memoryUsed(node);
  const gpus = gpuUse(ofKind(devices, 'gpu'));
  return (
    <div className={styles.meters}>
      <Meter name="Slots" part={share(used, slots)} text={`${used} of ${slots} in use`} />
      {busy != null && (
        <Meter name="Cores" part={share(busy, cpus)} text={`${coreText(busy)} of ${integer(cpus)} busy`} />
      )}
      <Meter
        name="Load"
        part={share(node.load, cpus)}
        text={node.load == null ? plural(cpus, 'core') : `${number(node.load, 2)} on ${plural(cpus, 'core')}`}
        hint="Processes that run or wait for a core, over the last minute"
      />
      <Meter
        name="Memory"
        part={share(taken, memory)}
        text={taken === null || memory == null ? bytes(memory) : bytesOf(taken, memory)}
        hint={free == null ? undefined : `${bytes(free)} free, ${percent(share(taken, memory))} in use`}
      />
      {gpus.load !== null && (
        <Meter name="GPU load" part={gpus.load} text={percent(gpus.load)} hint="Mean of all GPUs" />
      )}
      {gpus.memoryUsed !== null && (
        <Meter
          name="GPU memory"
          part={share(gpus.memoryUsed, gpus.memory)}
          text={bytesOf(gpus.memoryUsed, gpus.memory)}
        />
      )}
    </div>
  );
}
