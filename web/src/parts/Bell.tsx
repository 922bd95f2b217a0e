import { ActionIcon, Anchor, Button, Popover, Text, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useMe } from '../api/me';
import { useNotices, useReadNotices } from '../api/notices';
import type { Notice } from '../api/types';
import { plural } from '../lib/format';
import styles from './Bell.module.css';
import { IconAlert, IconBell, IconCheck } from './icons';
import { RelativeTime } from './RelativeTime';

/** The notices of whoever uses the page; those that are new count. They are read when they have been shown. */
export function Bell() {
  const [opened, setOpened] = useState(false);
  const { data } = useNotices();
  const read = useReadNotices();
  const unread = data?.unread ?? 0;
  const label = unread ? plural(unread, 'new notice') : 'Notices';
  const newest = data?.items[0]?.id;
  const change = (open: boolean) => {
    setOpened(open);
    if (!open && unread && newest) read.mutate(newest);
  };
  return (
    <Popover opened={opened} onChange={change} position="bottom-end" width={360} shadow="md" trapFocus>
      <Popover.Target>
        <Tooltip label={label} disabled={opened}>
          <ActionIcon aria-label={label} className={styles.bell} onClick={() => change(!opened)}>
            <IconBell size={18} />
            {unread > 0 && <span className={styles.count}>{unread > 99 ? '99+' : unread}</span>}
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label="Notices">
        {data?.items.length ? (
          <ul className={styles.list} aria-label="Notices">
            {data.items.map((notice) => (
              <Row key={notice.id} notice={notice} onOpen={() => change(false)} />
            ))}
          </ul>
        ) : (
          <Text size="sm" c="dimmed" p="sm">
            None yet. You are told here when your jobs end, fail or need attention.
          </Text>
        )}
        <Foot onOpen={() => change(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Row({ notice, onOpen }: { notice: Notice; onOpen: () => void }) {
  const Icon = notice.kind === 'ended' ? IconCheck : IconAlert;
  return (
    <li data-new={notice.read_at ? undefined : true} data-kind={notice.kind}>
      <Icon size={16} />
      <Link href={notice.link} onClick={onOpen}>
        <strong>{notice.title}</strong>
        {notice.text && <span>{notice.text}</span>}
        <small>
          <RelativeTime at={notice.created_at} />
        </small>
      </Link>
    </li>
  );
}

function Foot({ onOpen }: { onOpen: () => void }) {
  const { team, account } = useMe();
  const [permission, setPermission] = useState(() =>
    typeof Notification === 'undefined' ? 'denied' : Notification.permission,
  );
  return (
    <div className={styles.foot}>
      {permission === 'default' && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={async () => setPermission(await Notification.requestPermission())}
        >
          Also in the background
        </Button>
      )}
      {(account || !team) && (
        <Anchor component={Link} href={team ? '/profile' : '/settings'} size="sm" onClick={onOpen}>
          By mail or chat…
        </Anchor>
      )}
    </div>
  );
}
