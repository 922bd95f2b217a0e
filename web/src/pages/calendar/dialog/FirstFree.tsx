import { Button, Group, Modal, NumberInput, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { type FormEvent, useMemo, useState } from 'react';
import { type FreeQuery, useFreeSlots } from '../../../api/reservations';
import type { ReservableDevice } from '../../../api/types';
import { Loaded } from '../../../parts/Page';
import type { Wanted } from '../lib/form';
import { shortModel } from '../lib/rows';
import { Slots } from './Slots';

interface Props {
  opened: boolean;
  devices: readonly ReservableDevice[];
  onClose: () => void;
  onTake: (wanted: Wanted) => void;
}

/** When are this many GPUs free for this long? */
export function FirstFree({ opened, devices, onClose, onTake }: Props) {
  const [gpus, setGpus] = useState<number | string>(1);
  const [hours, setHours] = useState<number | string>(4);
  const [model, setModel] = useState<string | null>(null);
  const [host, setHost] = useState<string | null>(null);
  const [query, setQuery] = useState<FreeQuery | null>(null);
  const slots = useFreeSlots(opened ? query : null);
  const known = useMemo(() => new Map(devices.map((one) => [one.id, one])), [devices]);
  const names = (of: (device: ReservableDevice) => string) => [...new Set(devices.map(of).filter(Boolean))].sort();
  const find = (event: FormEvent) => {
    event.preventDefault();
    setQuery({
      gpus: Number(gpus),
      seconds: `${Math.round(Number(hours) * 3600)}s`,
      ...(model && { model }),
      ...(host && { host }),
    });
  };
  const ready = Number(gpus) >= 1 && Number(hours) > 0;
  return (
    <Modal opened={opened} onClose={onClose} title="First free slot" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack component="form" gap="sm" onSubmit={find}>
        <SimpleGrid cols={2} spacing="sm">
          <NumberInput
            label="GPUs"
            min={1}
            max={512}
            allowDecimal={false}
            data-autofocus
            value={gpus}
            onChange={setGpus}
          />
          <NumberInput label="Hours" min={0.25} max={1000} step={1} value={hours} onChange={setHours} />
          <Select
            label="Model"
            placeholder="Any"
            clearable
            clearButtonProps={{ 'aria-label': 'Any model' }}
            data={names((one) => one.model ?? '').map((value) => ({ value, label: shortModel(value) }))}
            value={model}
            onChange={setModel}
          />
          <Select
            label="Host"
            placeholder="Any"
            clearable
            searchable
            clearButtonProps={{ 'aria-label': 'Any host' }}
            data={names((one) => one.host)}
            value={host}
            onChange={setHost}
          />
        </SimpleGrid>
        <Group justify="flex-end">
          <Button type="submit" disabled={!ready} loading={slots.isFetching}>
            Find
          </Button>
        </Group>
      </Stack>
      {query && (
        <Loaded query={slots} what="list of free slots">
          {(found) =>
            found.length ? (
              <Slots
                slots={found}
                known={known}
                onTake={(slot) => {
                  onClose();
                  onTake({ devices: slot.devices, from: Date.parse(slot.starts_at), until: Date.parse(slot.ends_at) });
                }}
              />
            ) : (
              <Text size="sm" role="status">
                Nothing of that kind is free for that long, as far ahead as you may reserve.
              </Text>
            )
          }
        </Loaded>
      )}
    </Modal>
  );
}
