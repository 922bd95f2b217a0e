import type { Node } from '../../api/types';
import { bytes, integer, percent } from '../../lib/format';
import styles from './Hosts.module.css';
import { coreText, gpuUse, ofKind, totals } from './nodes';

/** The whole cluster in one line of figures. */
export function HostsSummary({ nodes }: { nodes: readonly Node[] }) {
  const all = totals(nodes);
  const use = gpuUse(nodes.flatMap(({ devices = [] }) => ofKind(devices, 'gpu')));
  return (
    <dl className={`app-panel ${styles.summary}`}>
      <Figure name={all.nodes === 1 ? 'Node' : 'Nodes'} value={integer(all.nodes)} />
      <Figure name="Tasks running" value={integer(all.tasks)} />
      <Figure name="Slots free" value={integer(all.slotsFree)} of={integer(all.slots)} />
      {all.gpus ? (
        <Figure name="GPUs free" value={integer(all.gpusFree)} of={integer(all.gpus)} />
      ) : (
        <Figure name="GPUs" value="none" />
      )}
      {use.load !== null && <Figure name="GPU load" value={percent(use.load)} />}
      {use.memoryUsed !== null && <Figure name="GPU memory" value={bytes(use.memoryUsed)} of={bytes(use.memory)} />}
      {all.cpusUsed === null ? (
        <Figure name="CPU cores" value={integer(all.cpus)} />
      ) : (
        <Figure name="Cores in use" value={coreText(all.cpusUsed)} of={integer(all.cpusTold)} />
      )}
    </dl>
  );
}

function Figure({ name, value, of }: { name: string; value: string; of?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value}
        {of !== undefined && <small> of {of}</small>}
      </dd>
    </div>
  );
}
