import { ActionIcon, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { IconBell } from './icons';

const LABEL = 'Tell me when a job ends, also while this page is in the background';

/** Asks the browser to allow notifications; there only until it has been answered. */
export function AllowNotices() {
  const [permission, setPermission] = useState(() =>
    typeof Notification === 'undefined' ? 'denied' : Notification.permission,
  );
  if (permission !== 'default') return null;
  return (
    <Tooltip label={LABEL}>
      <ActionIcon aria-label={LABEL} onClick={async () => setPermission(await Notification.requestPermission())}>
        <IconBell size={18} />
      </ActionIcon>
    </Tooltip>
  );
}
