import { memo } from 'react';
import type { Device, Node } from '../../api/types';
import { bytes, NOTHING, number, plural } from '../../lib/format';
import styles from './Cluster.module.css';
import { gpuKinds, isOurs, isUsable, isUsed, ofKind } from './clusterLib';
import { RunningTask } from './RunningTask';

/** Many machines, one row each. */
export function NodeTable({ nodes, label }: { nodes: readonly Node[]; label: string }) {
  const hasGpus = nodes.some(({ devices = [] }) => ofKind(devices, 'gpu').length > 0);
  const hasTasks = nodes.some(({ tasks = [] }) => tasks.length > 0);
  return (
    <>
      <div className={`app-panel ${styles.tablePanel}`}>
        <table className={styles.table} aria-label={label}>
          <thead>
            <tr>
              <th scope="col">Machine</th>
              <th scope="col">State</th>
              <th scope="col">GPUs</th>
              <th scope="col">Cores</th>
              <th scope="col">Memory free</th>
              <th scope="col">Partitions</th>
              {hasTasks && <th scope="col">Our tasks</th>}
            </tr>
          </thead>
          <tbody>
            {nodes.map((node) => (
              <NodeRow key={node.name} node={node} hasTasks={hasTasks} />
            ))}
          </tbody>
        </table>
      </div>
      {hasGpus && <Key />}
    </>
  );
}

const NodeRow = memo(function NodeRow({ node, hasTasks }: { node: Node; hasTasks: boolean }) {
  const { devices = [], tasks = [], memory, memory_free: free, partitions = [], features = [] } = node;
  const usable = isUsable(node);
  return (
    <tr>
      <th scope="row" title={features.length ? `Features: ${features.join(', ')}` : undefined}>
        {node.name}
      </th>
      <td data-end>
        <span className={styles.state} data-up={usable || undefined} data-bad={!usable || undefined}>
          {node.state}
        </span>
      </td>
      <td data-wide>
        <Gpus gpus={ofKind(devices, 'gpu')} usable={usable} />
        {!usable && node.reason && <div className={styles.why}>{node.reason}</div>}
      </td>
      <td>
        {plural(node.cpus, 'core')}
        {node.load != null && <small> load {number(node.load, 2)}</small>}
      </td>
      <td data-end>
        {bytes(free ?? memory)}
        {free != null && memory != null && <small> of {bytes(memory)}</small>}
      </td>
      <td data-wide>{partitions.join(', ')}</td>
      {hasTasks && (
        <td data-wide>
          {tasks.map((task) => (
            <RunningTask key={task} task={task} />
          ))}
        </td>
      )}
    </tr>
  );
});

function Gpus({ gpus, usable }: { gpus: readonly Device[]; usable: boolean }) {
  if (gpus.length === 0) return <small>{NOTHING}</small>;
  const used = gpus.filter(isUsed).length;
  const free = usable ? gpus.length - used : 0;
  const text = `${free} of ${gpus.length} free`;
  return (
    <div className={styles.gpus}>
      <span className={styles.boxes} data-off={!usable || undefined} role="img" aria-label={`GPUs: ${text}`}>
        {gpus.map((gpu) => (
          <span key={gpu.id} data-used={isUsed(gpu) || undefined} data-ours={isOurs(gpu) || undefined} />
        ))}
      </span>
      <span>{text}</span>
      <small>{gpuKinds(gpus)}</small>
    </div>
  );
}

/** What the colours of the boxes mean. */
function Key() {
  return (
    <div className={styles.key} aria-hidden="true">
      <span>
        <span className={styles.boxes}>
          <span />
        </span>
        free
      </span>
      <span>
        <span className={styles.boxes}>
          <span data-used />
        </span>
        in use
      </span>
      <span>
        <span className={styles.boxes}>
          <span data-used data-ours />
        </span>
        by our tasks
      </span>
    </div>
  );
}
