import { ActionIcon, Tooltip, useMantineColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { signOut } from '../api/client';
import { useConnection } from '../api/events';
import { stream } from '../api/live';
import { AllowNotices } from './AllowNotices';
import styles from './AppShell.module.css';
import { IconAuto, IconLogout, IconMoon, IconSun, IconWifi } from './icons';
import { useSlashFocus } from './useSlashFocus';

const PAGES = [
  {
    href: '/',
    name: 'Jobs',
    here: (path: string) => path === '/' || path.startsWith('/jobs') || path.startsWith('/tasks'),
  },
  { href: '/new', name: 'New job', here: (path: string) => path.startsWith('/new') },
  { href: '/cluster', name: 'Cluster', here: (path: string) => path.startsWith('/cluster') },
];

export function AppShell({ children }: { children: ReactNode }) {
  const [path] = useLocation();
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
        <nav className={styles.nav} aria-label="Pages">
          {PAGES.map(({ href, name, here }) => (
            <Link key={href} href={href} aria-current={here(path) ? 'page' : undefined}>
              {name}
            </Link>
          ))}
        </nav>
        <div className={styles.right}>
          <ConnectionNote />
          <AllowNotices />
          <ThemeToggle />
          <Tooltip label="Sign out">
            <ActionIcon aria-label="Sign out" onClick={() => signOut().catch(() => {})}>
              <IconLogout size={18} />
            </ActionIcon>
          </Tooltip>
        </div>
      </header>
      <main id="main" className={styles.main}>
        {children}
      </main>
    </>
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
