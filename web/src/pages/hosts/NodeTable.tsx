import { UnstyledButton } from '@mantine/core';
import { memo, type ReactNode, useState } from 'react';
import type { Device, Node } from '../../api/types';
import { bytes, integer, NOTHING, number, percent, plural } from '../../lib/format';
import { IconChevronDown, IconChevronRight } from '../../parts/icons';
import { GpuList } from './GpuList';
import styles from './Hosts.module.css';
import { NodeHistory } from './NodeHistory';
import { bytesOf, coreText, gpuKinds, gpuUse, isOurs, isUsable, isUsed, memoryUsed, ofKind, share } from './nodes';
import { RunningTasks } from './RunningTasks';

/** What of it there is to be shown: columns that would be empty are left out. */
interface Columns {
  gpus: boolean;
  gpuUse: boolean;
  partitions: boolean;
  tasks: boolean;
}

/** Many nodes, one row each; a click shows more of one. */
export function NodeTable({ nodes, label }: { nodes: readonly Node[]; label: string }) {
  const all = nodes.flatMap(({ devices = [] }) => ofKind(devices, 'gpu'));
  const gpus = all.length > 0;
  const used = all.some(({ load, memory_used: memory }) => load != null || memory != null);
  const partitions = nodes.some(({ partitions: its = [] }) => its.length > 0);
  const tasks = nodes.some(({ tasks: its = [] }) => its.length > 0);
  return (
    <>
      <div className={`app-panel app-scroll`}>
        <table className={`app-table app-cards ${styles.table}`} aria-label={label}>
          <thead>
            <tr>
              <th scope="col">Node</th>
              <th scope="col">State</th>
              {gpus && <th scope="col">GPUs</th>}
              {used && <th scope="col">GPU load</th>}
              {used && <th scope="col">GPU memory</th>}
              <th scope="col">Cores</th>
              <th scope="col">Memory</th>
              {partitions && <th scope="col">Partitions</th>}
              {tasks && <th scope="col">Our tasks</th>}
            </tr>
          </thead>
          <tbody>
            {nodes.map((node) => (
              <NodeRow key={node.name} node={node} gpus={gpus} gpuUse={used} partitions={partitions} tasks={tasks} />
            ))}
          </tbody>
        </table>
      </div>
      {gpus && <Key />}
    </>
  );
}

const NodeRow = memo(function NodeRow({ node, ...columns }: { node: Node } & Columns) {
  const { devices = [], tasks = [], partitions = [], features = [] } = node;
  const [open, setOpen] = useState(false);
  const usable = isUsable(node);
  const gpus = ofKind(devices, 'gpu');
  const Icon = open ? IconChevronDown : IconChevronRight;
  return (
    <>
      <tr data-open={open || undefined}>
        <th scope="row" title={features.length ? `Features: ${features.join(', ')}` : undefined}>
          <UnstyledButton className={styles.opener} aria-expanded={open} onClick={() => setOpen(!open)}>
            <Icon size={14} />
            <span>{node.name}</span>
          </UnstyledButton>
        </th>
        <td data-end>
          <span className={styles.state} data-up={usable || undefined} data-bad={!usable || undefined}>
            {node.state}
          </span>
          {!columns.gpus && !usable && node.reason && <div className={styles.why}>{node.reason}</div>}
        </td>
        {columns.gpus && (
          <td data-wide>
            <Gpus gpus={gpus} usable={usable} />
            {!usable && node.reason && <div className={styles.why}>{node.reason}</div>}
          </td>
        )}
        {columns.gpuUse && <GpuCells gpus={gpus} />}
        <Cores node={node} />
        <Memory node={node} />
        {columns.partitions && (
          <td data-wide data-quiet>
            {partitions.join(', ')}
          </td>
        )}
        {columns.tasks && (
          <td data-wide>
            <RunningTasks tasks={tasks} />
          </td>
        )}
      </tr>
      {open && (
        <tr className={styles.more}>
          <td colSpan={9} data-wide>
            {gpus.length > 0 && <GpuList gpus={gpus} />}
            <NodeHistory node={node} />
          </td>
        </tr>
      )}
    </>
  );
});

function GpuCells({ gpus }: { gpus: readonly Device[] }) {
  const { load, memory, memoryUsed } = gpuUse(gpus);
  return (
    <>
      <Cell name="GPU load" part={load}>
        {percent(load)}
      </Cell>
      <Cell name="GPU memory" part={share(memoryUsed, memory)}>
        {memoryUsed === null ? NOTHING : bytesOf(memoryUsed, memory)}
      </Cell>
    </>
  );
}

function Cores({ node: { cpus, cpus_used: given, cpus_busy: busy, load } }: { node: Node }) {
  return (
    <Cell name="Cores" part={share(given ?? busy, cpus)} title={given == null ? undefined : GIVEN}>
      {given == null ? plural(cpus, 'core') : `${coreText(given)} of ${integer(cpus)}`}
      {busy != null ? <small> {coreText(busy)} busy</small> : load != null && <small> load {number(load, 2)}</small>}
    </Cell>
  );
}

const GIVEN = 'Allocated to jobs; not all of them need be in use';

function Memory({ node }: { node: Node }) {
  const { memory } = node;
  const used = memoryUsed(node);
  return (
    <Cell name="Memory" part={share(used, memory)}>
      {used !== null && memory != null ? bytesOf(used, memory) : bytes(memory)}
    </Cell>
  );
}

/** A figure with a bar below it, where it is known how full it is. */
function Cell(props: { name: string; part: number | null; title?: string | undefined; children: ReactNode }) {
  const { name, part, title, children } = props;
  return (
    <td data-label={name} title={title}>
      {children}
      {part !== null && (
        <div className={styles.track} data-thin>
          <div className={styles.fill} style={{ width: `${part * 100}%` }} />
        </div>
      )}
    </td>
  );
}

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
