import { Text, TextInput, Title } from '@mantine/core';
import { useDeferredValue, useMemo } from 'react';
import { useMe } from '../../api/me';
import type { Node, Violation } from '../../api/types';
import { useOpenViolations } from '../../api/violations';
import { bytes, NOTHING, plural } from '../../lib/format';
import { useUrlState } from '../../lib/urlState';
import { IconSearch } from '../../parts/icons';
import { type Column, VirtualTable } from '../../parts/VirtualTable';
import { ViolationActs } from '../violations/ViolationActs';
import { violationOf, whyText } from '../violations/violationsLib';
import styles from './Hosts.module.css';
import { ofKind } from './nodes';
import { type HostProcess, matchingProcesses, processesOf } from './processes';
import { RunningTask } from './RunningTask';

const VIEW = { process: '' };
const MANY = 8;

interface ShownProcess extends HostProcess {
  violation: Violation | undefined;
}

const COLUMNS: Column<ShownProcess>[] = [
  { id: 'owner', header: 'Owner', cell: ({ owner }) => owner ?? 'not known', sortBy: ({ owner }) => owner, width: 120 },
  { id: 'pid', header: 'PID', cell: ({ pid }) => pid, sortBy: ({ pid }) => pid, width: 90, align: 'end' },
  { id: 'node', header: 'Node', cell: ({ node }) => node, sortBy: ({ node }) => node, width: 130 },
  {
    id: 'gpus',
    header: 'GPU',
    cell: ({ gpus }) => gpus.join(', '),
    sortBy: ({ gpus }) => Number(gpus[0]) || 0,
    width: 80,
  },
  {
    id: 'memory',
    header: 'GPU memory',
    cell: ({ memory }) => bytes(memory),
    sortBy: ({ memory }) => memory,
    width: 120,
    align: 'end',
    descFirst: true,
  },
  {
    id: 'reserved',
    header: 'Reserved for',
    cell: ({ violation }) =>
      violation ? (
        <span className={styles.intruder}>
          {violation.owner ?? whyText(violation)} <ViolationActs violation={violation} />
        </span>
      ) : (
        NOTHING
      ),
    sortBy: ({ violation }) => violation?.owner,
    width: 260,
  },
  {
    id: 'task',
    header: 'Task',
    cell: ({ task }) => (task ? <RunningTask task={task} /> : NOTHING),
    sortBy: ({ task }) => task,
    width: 190,
  },
  {
    id: 'command',
    header: 'Command',
    cell: ({ command }) => <span className="app-mono">{command ?? 'not known'}</span>,
    sortBy: ({ command }) => command,
    width: 420,
  },
];

/** Every process on a GPU, of whomever. */
export function Processes({ nodes }: { nodes: readonly Node[] }) {
  const [{ process: words }, setView] = useUrlState(VIEW);
  const wanted = useDeferredValue(words);
  const all = useMemo(() => processesOf(nodes), [nodes]);
  const { role } = useMe();
  const open = useOpenViolations(role !== 'guest').data?.items;
  const shown = useMemo(
    () => matchingProcesses(all, wanted).map((one) => ({ ...one, violation: violationOf(open ?? [], one) })),
    [all, wanted, open],
  );
  const columns = open?.length ? COLUMNS : COLUMNS.filter(({ id }) => id !== 'reserved');
  if (!nodes.some(({ devices = [] }) => ofKind(devices, 'gpu').length > 0)) return null;
  return (
    <section className={styles.group} aria-label="Processes on GPUs">
      <div className={styles.groupHead}>
        <Title order={2}>Processes on GPUs</Title>
        <span>
          {all.length === 0 ? 'No node reports a process on its GPUs now' : plural(all.length, 'process', 'processes')}
        </span>
        {(all.length > MANY || words) && (
          <TextInput
            className={styles.filter}
            size="xs"
            type="search"
            aria-label="Filter the processes"
            placeholder="Owner, command, node, task, PID"
            leftSection={<IconSearch size={14} />}
            value={words}
            onChange={(event) => setView({ process: event.currentTarget.value })}
          />
        )}
      </div>
      {all.length > 0 && (
        <div className="app-panel">
          <VirtualTable
            rows={shown}
            columns={columns}
            rowId={({ id }) => id}
            label="Processes on GPUs"
            height={360}
            rowHeight={34}
            empty={
              <Text size="sm" c="dimmed" p="md">
                No process matches the filter.
              </Text>
            }
          />
        </div>
      )}
    </section>
  );
}
