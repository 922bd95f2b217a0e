import { Button, Text, TextInput, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useDeferredValue, useMemo, useState } from 'react';
import { integer, plural } from '../../lib/format';
import { BackendSilence } from '../../parts/BackendSilence';
import { IconSearch } from '../../parts/icons';
import { HostStates } from './HostStates';
import styles from './Hosts.module.css';
import { NodeCard } from './NodeCard';
import { NodeTable } from './NodeTable';
import { isUsable, matching, type NodeGroup, totals } from './nodes';

const MANY = 12;
/** So many rows at first: one would else scroll for long, most of all where rows are cards. */
const FIRST = { wide: 50, narrow: 20 };

/** The nodes of one backend: those of a cluster as a table, one's own with all that is on them. */
export function BackendGroup({ backend, nodes }: NodeGroup) {
  const [words, setWords] = useState('');
  const [whole, setWhole] = useState(false);
  const first = useMediaQuery('(max-width: 62em)') ? FIRST.narrow : FIRST.wide;
  const wanted = useDeferredValue(words);
  const shown = useMemo(() => matching(nodes, wanted), [nodes, wanted]);
  const all = totals(nodes);
  const off = nodes.filter((node) => !isUsable(node)).length;
  const parts = [
    plural(nodes.length, 'node'),
    off > 0 && `${integer(off)} not usable`,
    all.gpus > 0 && `${integer(all.gpusFree)} of ${plural(all.gpus, 'GPU')} free`,
    backend.default && 'default for new jobs',
  ];
  return (
    <section className={styles.group} aria-label={backend.name}>
      <div className={styles.groupHead}>
        <Title order={2}>{backend.name}</Title>
        <span>{parts.filter(Boolean).join(' · ')}</span>
        {nodes.length > MANY && (
          <TextInput
            className={styles.filter}
            size="xs"
            type="search"
            aria-label={`Filter the nodes of ${backend.name}`}
            placeholder="Name, state, partition, GPU"
            leftSection={<IconSearch size={14} />}
            value={words}
            onChange={(event) => setWords(event.currentTarget.value)}
          />
        )}
      </div>
      <BackendSilence backend={backend.name} />
      {backend.kind === 'hosts' && <HostStates backend={backend.name} />}
      {backend.kind === 'local' ? (
        <div className={styles.nodes}>
          {shown.map((node) => (
            <NodeCard key={node.name} node={node} />
          ))}
        </div>
      ) : (
        shown.length > 0 && (
          <NodeTable nodes={whole ? shown : shown.slice(0, first)} label={`Nodes of ${backend.name}`} />
        )
      )}
      {backend.kind !== 'local' && shown.length > first && !whole && (
        <Button variant="default" size="xs" onClick={() => setWhole(true)} style={{ justifySelf: 'center' }}>
          Show all {integer(shown.length)} nodes
        </Button>
      )}
      {shown.length === 0 && (
        <Text size="sm" c="dimmed">
          {nodes.length ? 'No node matches the filter.' : 'It has not reported any node yet.'}
        </Text>
      )}
    </section>
  );
}
