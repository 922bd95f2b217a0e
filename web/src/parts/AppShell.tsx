import { ActionIcon, Badge, Menu, Tooltip, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { signOut } from '../api/client';
import { useConnection } from '../api/events';
import { stream } from '../api/live';
import { useMe } from '../api/me';
import { useAnyReservation } from '../api/reservations';
import { useOpenViolations } from '../api/violations';
import styles from './AppShell.module.css';
import { Bell } from './Bell';
import {
  IconAlert,
  IconAuto,
  IconLock,
  IconLogout,
  IconMoon,
  IconSettings,
  IconSun,
  IconUser,
  IconUsers,
  IconWifi,
} from './icons';
import { Avatar } from './Person';
import { useSlashFocus } from './useSlashFocus';

interface Place {
  href: string;
  name: string;
  here: (path: string) => boolean;
  /** Only on a wide screen. */
  wide?: true;
}

const PAGES: Place[] = [
  {
    href: '/',
    name: 'Jobs',
    here: (path) => path === '/' || path.startsWith('/jobs') || path.startsWith('/tasks'),
  },
  { href: '/new', name: 'New job', here: (path) => path.startsWith('/new') },
  { href: '/queue', name: 'Queue', here: (path) => path.startsWith('/queue') },
  { href: '/hosts', name: 'Hosts', here: (path) => path.startsWith('/hosts') },
];

/** Without a team, only once something was reserved. */
const CALENDAR: Place = { href: '/calendar', name: 'Calendar', here: (path) => path.startsWith('/calendar') };

/** What they used is nothing of guests. */
const USAGE: Place = { href: '/usage', name: 'Usage', here: (path) => path.startsWith('/usage') };

/** Where there is no room for it, the menu of the account has it alone. */
const PEOPLE: Place = { href: '/people', name: 'People', here: (path) => path.startsWith('/people'), wide: true };
const RULES: Place = { href: '/rules', name: 'Rules', here: (path) => path.startsWith('/rules'), wide: true };

/** For admins; without a team, while there are some. */
const VIOLATIONS: Place = {
  href: '/violations',
  name: 'Violations',
  here: (path) => path.startsWith('/violations'),
  wide: true,
};

interface Props {
  /** It is known who uses the page. */
  known: boolean;
  children: ReactNode;
}

export function AppShell({ known, children }: Props) {
  const { team, role, can } = useMe();
  const open = useOpenViolations(known && role === 'admin').data?.open ?? 0;
  const [path] = useLocation();
  const reserved = useAnyReservation(known && !team).data;
  const pages = [
    ...PAGES.filter(({ href }) => href !== '/new' || can('submit')),
    ...(team || reserved ? [CALENDAR] : []),
    ...((team || reserved) && can('submit') ? [USAGE] : []),
    ...(team ? [PEOPLE] : []),
    ...(team && role === 'admin' ? [RULES] : []),
    ...(open > 0 || (team && role === 'admin') ? [VIOLATIONS] : []),
  ];
  const nav = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is another link
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
  }, [path, pages.length]);
  useSlashFocus();
  return (
    <>
      <a className={styles.skip} href="#main">
        Skip to the content
      </a>
      <header className={styles.header}>
        <Link href="/" className={styles.brand} aria-label="Paddock">
          <img src="/favicon.svg" alt="" />
          <span>Paddock</span>
        </Link>
        <nav ref={nav} className={styles.nav} aria-label="Pages">
          {pages.map(({ href, name, here, wide }) => (
            <Link key={href} href={href} aria-current={here(path) ? 'page' : undefined} data-wide={wide}>
              {name}
              {href === VIOLATIONS.href && open > 0 && (
                <Badge size="sm" circle color="red.8" ml={6} aria-label={`${open} go on`}>
                  {open}
                </Badge>
              )}
            </Link>
          ))}
        </nav>
        <div className={styles.right}>
          <ConnectionNote />
          {known && <Bell />}
          <ThemeToggle />
          {known && (team ? <AvatarMenu /> : <Alone />)}
        </div>
      </header>
      <main id="main" className={styles.main}>
        {children}
      </main>
    </>
  );
}

const leave = () => signOut().catch(() => {});

/** Without accounts there is nobody to name. */
function Alone() {
  return (
    <>
      <Tooltip label="Settings">
        <ActionIcon aria-label="Settings" component={Link} href="/settings">
          <IconSettings size={18} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Sign out">
        <ActionIcon aria-label="Sign out" onClick={leave}>
          <IconLogout size={18} />
        </ActionIcon>
      </Tooltip>
    </>
  );
}

function AvatarMenu() {
  const { name, fullName, role, account } = useMe();
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <UnstyledButton className={styles.avatar} aria-label={`Account of ${name}`}>
          <Avatar name={name} fullName={fullName} size={28} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <strong className={styles.who}>{fullName || name}</strong>
          {account ? [fullName && name, role].filter(Boolean).join(' · ') : 'with the server’s own token'}
        </Menu.Label>
        {account && (
          <Menu.Item leftSection={<IconUser />} component={Link} href="/profile">
            Profile
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconUsers />} component={Link} href="/people">
          People
        </Menu.Item>
        <Menu.Item leftSection={<IconLock />} component={Link} href="/rules">
          Rules
        </Menu.Item>
        {role === 'admin' && (
          <Menu.Item leftSection={<IconAlert />} component={Link} href="/violations">
            Violations
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconLogout />} onClick={leave}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Nothing while all is well. */
function ConnectionNote() {
  const connection = useConnection(stream);
  return (
    <div role="status" aria-live="polite">
      {connection === 'reconnecting' && (
        <Tooltip label="The connection to the server is lost, so what you see may be old. The page reconnects by itself.">
          <div className={styles.connection} data-testid="reconnecting">
            <IconWifi size={14} /> <span>Reconnecting…</span>
          </div>
        </Tooltip>
      )}
    </div>
  );
}

const NEXT = { auto: 'light', light: 'dark', dark: 'auto' } as const;
const THEME_ICONS = { auto: IconAuto, light: IconSun, dark: IconMoon };
const THEME_NAMES = { auto: 'as the system', light: 'light', dark: 'dark' };

function ThemeToggle() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const ThemeIcon = THEME_ICONS[colorScheme];
  const label = `Colours: ${THEME_NAMES[colorScheme]}. Change to ${THEME_NAMES[NEXT[colorScheme]]}`;
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} onClick={() => setColorScheme(NEXT[colorScheme])}>
        <ThemeIcon size={18} />
      </ActionIcon>
    </Tooltip>
  );
}
