import { Button, Checkbox, Group, Modal, MultiSelect, SimpleGrid, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Node } from '../../../api/types';
import { plural } from '../../../lib/format';
import { ofKind } from '../nodes';
import { added, fits, type HostTile, KINDS, type Kind, NAMES, type Subject, subjectText } from './tiles';

interface Props {
  opened: boolean;
  onClose: () => void;
  nodes: readonly Node[];
  tiles: readonly HostTile[];
  onAdd: (tiles: HostTile[]) => void;
}

/** Choose what to show, and of which nodes and GPUs. */
export function AddTiles({ opened, onClose, ...rest }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Add tiles" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Choice onClose={onClose} {...rest} />
    </Modal>
  );
}

const ALL: Subject = {};

function Choice({ nodes, tiles, onAdd, onClose }: Omit<Props, 'opened'>) {
  const subjects = useMemo(() => subjectsOf(nodes), [nodes]);
  const [kinds, setKinds] = useState<string[]>([]);
  const [where, setWhere] = useState<string[]>([idOf(nodes.length === 1 ? (subjects[1]?.of ?? ALL) : ALL)]);
  const chosen = subjects.filter(({ id }) => where.includes(id));
  const wanted = chosen.flatMap(({ of }) => (kinds as Kind[]).map((kind) => ({ kind, of })));
  const possible = wanted.filter(({ kind, of }) => fits(kind, of));
  const after = added(tiles, possible);
  const count = after.length - tiles.length;
  return (
    <Stack
      component="form"
      onSubmit={(event) => {
        event.preventDefault();
        onAdd(after);
        onClose();
      }}
    >
      <Checkbox.Group label="What" value={kinds} onChange={setKinds}>
        <SimpleGrid cols={2} spacing="xs" mt={6}>
          {KINDS.map((kind) => (
            <Checkbox key={kind} value={kind} label={NAMES[kind]} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      <MultiSelect
        label="Of"
        data={subjects.map(({ id, label }) => ({ value: id, label }))}
        value={where}
        onChange={setWhere}
        searchable
        limit={100}
        hidePickedOptions
        nothingFoundMessage="No such node"
        comboboxProps={{ withinPortal: true }}
      />
      <Text size="sm" c="dimmed" role="status">
        {hint(wanted.length, possible.length, count)}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" disabled={count === 0}>
          Add {count > 0 ? plural(count, 'tile') : 'tiles'}
        </Button>
      </Group>
    </Stack>
  );
}

function hint(wanted: number, possible: number, count: number): string {
  if (wanted === 0) return 'Choose what to show, and of which nodes or GPUs.';
  if (possible < wanted) return 'Cores and memory are of a node, not of one GPU.';
  return count < possible ? 'What is there already is not added again.' : '';
}

function idOf({ backend = null, node = null, device = null }: Subject): string {
  return JSON.stringify([backend, node, device]);
}

/** All nodes together, each node, each GPU; names that several backends have are told apart. */
function subjectsOf(nodes: readonly Node[]): { id: string; label: string; of: Subject }[] {
  const names = nodes.map(({ name }) => name);
  const twice = new Set(names.filter((name, i) => names.indexOf(name) !== i));
  const each = nodes.flatMap(({ backend, name, devices = [] }) => {
    const gpus = ofKind(devices, 'gpu').map(({ id }) => id);
    return [null, ...gpus].map((device) => {
      const of = { backend, node: name, device };
      return { id: idOf(of), label: subjectText(of) + (twice.has(name) ? ` (${backend})` : ''), of };
    });
  });
  return [{ id: idOf(ALL), label: 'All nodes', of: ALL }, ...each];
}
