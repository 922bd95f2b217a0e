import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useDevices } from '../../api/reservations';
import { CalendarLink } from '../../parts/CalendarLink';
import { IconLink } from '../../parts/icons';
import { Panel } from './Panel';

/** Reservations in the calendar of one's mail or phone. */
export function CalendarPanel() {
  const [linking, setLinking] = useState(false);
  const devices = useDevices();
  const hosts = [...new Set(devices.data?.map(({ host }) => host))];
  return (
    <Panel
      title="Calendar link"
      actions={
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconLink size={14} />}
          onClick={() => setLinking(true)}
        >
          Make a link
        </Button>
      }
    >
      <Text size="sm" c="dimmed">
        Shows reservations in the calendar of your mail or phone. Each link is a token below; revoking it ends the link.
      </Text>
      <CalendarLink opened={linking} hosts={hosts} onClose={() => setLinking(false)} />
    </Panel>
  );
}
