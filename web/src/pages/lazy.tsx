/**
 * Pages are fetched when they are first shown; the one of the address at once, beside who one is.
 *
 * React's own `lazy` shows what it has fetched up to 0.3 s later than it could.
 */

import { type ComponentType, useEffect, useState } from 'react';
import { Waiting } from '../parts/Page';

type Load<P> = () => Promise<{ default: ComponentType<P> }>;

export function lazyPage<P extends object>(load: Load<P>) {
  let found: ComponentType<P> | undefined;
  let fetching: Promise<void> | undefined;

  const fetch = (): Promise<void> => {
    fetching ??= load().then(
      (module) => {
        found = module.default;
      },
      (error) => {
        fetching = undefined; // the next try may find it
        throw error;
      },
    );
    return fetching;
  };

  function LazyPage(props: P) {
    const [, setCame] = useState(found !== undefined);
    const [failure, setFailure] = useState<unknown>(null);
    useEffect(() => {
      let here = true;
      fetch().then(
        () => here && setCame(true),
        (error) => here && setFailure(error),
      );
      return () => {
        here = false;
      };
    }, []);
    if (failure) throw failure;
    const Page = found;
    return Page ? <Page {...props} /> : <Waiting />;
  }
  return Object.assign(LazyPage, { fetch });
}

export const JobsPage = lazyPage(() => import('./jobs/JobsPage'));
export const NewJobPage = lazyPage(() => import('./new-job/NewJobPage'));
export const JobPage = lazyPage(() => import('./job/JobPage'));
export const TaskPage = lazyPage(() => import('./task/TaskPage'));
export const ComparePage = lazyPage(() => import('./compare/ComparePage'));
export const HostsPage = lazyPage(() => import('./hosts/HostsPage'));
export const CalendarPage = lazyPage(() => import('./calendar/CalendarPage'));
export const QueuePage = lazyPage(() => import('./queue/QueuePage'));
export const UsagePage = lazyPage(() => import('./usage/UsagePage'));
export const PeoplePage = lazyPage(() => import('./people/PeoplePage'));
export const ProfilePage = lazyPage(() => import('./profile/ProfilePage'));
export const RulesPage = lazyPage(() => import('./rules/RulesPage'));
export const ViolationsPage = lazyPage(() => import('./violations/ViolationsPage'));
export const SettingsPage = lazyPage(() => import('./SettingsPage'));
export const SetupPage = lazyPage(() => import('./setup/SetupPage'));
export const SignInPage = lazyPage(() => import('./sign-in/SignInPage'));

const PAGES: Record<string, { fetch: () => Promise<void> }> = {
  '': JobsPage,
  new: NewJobPage,
  jobs: JobPage,
  tasks: TaskPage,
  compare: ComparePage,
  hosts: HostsPage,
  calendar: CalendarPage,
  queue: QueuePage,
  usage: UsagePage,
  people: PeoplePage,
  profile: ProfilePage,
  rules: RulesPage,
  violations: ViolationsPage,
  settings: SettingsPage,
  setup: SetupPage,
  'sign-in': SignInPage,
};

/** Begin to fetch the page of an address. What fails is said when the page is shown. */
export function fetchPage(path: string): void {
  const name = path.split('/')[1] ?? '';
  if (Object.hasOwn(PAGES, name)) PAGES[name]?.fetch().catch(() => {});
}
