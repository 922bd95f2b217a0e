import { Button, Collapse } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { GpuProcess } from '../../api/types';
import { bytes, plural } from '../../lib/format';
import { IconChevronDown, IconChevronRight } from '../../parts/icons';
import styles from './Hosts.module.css';
import { RunningTask } from './RunningTask';

/** Who is on a GPU, folded away until somebody wants to know. */
export function GpuProcesses({ processes }: { processes: readonly GpuProcess[] }) {
  const [open, { toggle }] = useDisclosure(false);
  const Icon = open ? IconChevronDown : IconChevronRight;
  if (processes.length === 0) return null;
  return (
    <>
      <Button
        size="compact-xs"
        variant="subtle"
        className={styles.fold}
        leftSection={<Icon size={13} />}
        onClick={toggle}
        aria-expanded={open}
      >
        {plural(processes.length, 'process', 'processes')}
      </Button>
      <Collapse expanded={open} keepMounted={false}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <section className={styles.processes} tabIndex={0} aria-label="Processes">
          <ul>
            {processes.map((process) => (
              <Process key={process.pid} process={process} />
            ))}
          </ul>
        </section>
      </Collapse>
    </>
  );
}

function Process({ process: { pid, owner, command, memory, task } }: { process: GpuProcess }) {
  const about = [`PID ${pid}`, owner ?? 'owner not known', task && command].filter(Boolean).join(' · ');
  return (
    <li>
      <span className={styles.what} title={command ?? undefined}>
        {task ? <RunningTask task={task} /> : <span className="app-mono">{command ?? 'a process of others'}</span>}
      </span>
      <span>{bytes(memory)}</span>
      <small title={about}>{about}</small>
    </li>
  );
}
