import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useWhoAmI } from '../api/me';
import { useMakeToken } from '../api/profile';
import { CopyLine } from './CopyLine';
import { ErrorPanel } from './ErrorPanel';

interface Props {
  opened: boolean;
  hosts: readonly string[];
  onClose: () => void;
}

/** An address that other calendars subscribe to. Its token is good for nothing else. */
export function CalendarLink({ opened, hosts, onClose }: Props) {
  const who = useWhoAmI();
  const [of, setOf] = useState('');
  const [token, setToken] = useState('');
  const make = useMakeToken();
  const start = async () => {
    const made = await make.mutateAsync({ name: 'Calendar link', scope: 'feed', days: 365 });
    setToken(made.token ?? '');
  };
  const groups = who.data?.groups ?? [];
  const query = of ? `&${of}` : '';
  const close = () => {
    setToken('');
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title="Calendar link" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="sm">
        <Text size="sm">
          Other calendars (of your mail, or of a phone) can subscribe to reservations. Who has the link sees them, and
          nothing else; it ends after a year, or when you revoke its token in your profile.
        </Text>
        <Select
          label="Shows"
          allowDeselect={false}
          data={[
            { value: '', label: 'My reservations' },
            ...groups.map((name) => ({ value: `group=${encodeURIComponent(name)}`, label: `Reservations of ${name}` })),
            ...hosts.map((name) => ({
              value: `host=${encodeURIComponent(name)}`,
              label: `All reservations of ${name}`,
            })),
          ]}
          value={of}
          onChange={(chosen) => setOf(chosen ?? '')}
        />
        {token && (
          <CopyLine text={`${location.origin}/api/v1/calendar.ics?token=${token}${query}`} label="Copy the link" />
        )}
        {make.error && <ErrorPanel error={make.error} />}
        {!token && (
          <Group justify="flex-end">
            <Button onClick={start} loading={make.isPending}>
              Make the link
            </Button>
          </Group>
        )}
      </Stack>
    </Modal>
  );
}
