import type { Node } from '../../api/types';
import { integer } from '../../lib/format';
import styles from './Cluster.module.css';
import { totals } from './clusterLib';

/** The whole cluster in one line of figures. */
export function ClusterSummary({ nodes }: { nodes: readonly Node[] }) {
  const all = totals(nodes);
  return (
    <dl className={`app-panel ${styles.summary}`}>
      <Figure name={all.nodes === 1 ? 'Machine' : 'Machines'} value={integer(all.nodes)} />
      <Figure name="Tasks running" value={integer(all.tasks)} />
      <Figure name="Slots free" value={integer(all.slotsFree)} of={all.slots} />
      {all.gpus ? (
        <Figure name="GPUs free" value={integer(all.gpusFree)} of={all.gpus} />
      ) : (
        <Figure name="GPUs" value="none" />
      )}
      <Figure name="CPU cores" value={integer(all.cpus)} />
    </dl>
  );
}

function Figure({ name, value, of }: { name: string; value: string; of?: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value}
        {of !== undefined && <small> of {integer(of)}</small>}
      </dd>
    </div>
  );
}
