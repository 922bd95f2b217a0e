import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter';
import { onOtherTab, useSignedOut } from './api/client';
import { queryClient, stream } from './api/live';
import { ALONE, MeContext, meOf, useMe, useWhoAmI } from './api/me';
import { ownPath } from './lib/ownPath';
import {
  CalendarPage,
  ComparePage,
  HostsPage,
  JobPage,
  JobsPage,
  NewJobPage,
  PeoplePage,
  ProfilePage,
  QueuePage,
  RulesPage,
  SettingsPage,
  SetupPage,
  SignInPage,
  TaskPage,
  UsagePage,
  ViolationsPage,
} from './pages/lazy';
import { NotFoundPage } from './pages/NotFoundPage';
import { AppShell } from './parts/AppShell';
import { CrashGuard } from './parts/CrashGuard';
import { NewNotices } from './parts/NewNotices';
import { Loaded, Waiting } from './parts/Page';
import { cssVariables, theme } from './theme/theme';

export function App() {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-right" limit={4} />
        <Gate />
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** Signed out: the sign-in page, at whatever address, which stays. A one-time link works in either case. */
function Gate() {
  const [path] = useLocation();
  const signedOut = useSignedOut();
  const inside = !signedOut && path !== '/setup';
  useEffect(() => {
    if (!inside) return;
    stream.start();
    return () => {
      stream.stop();
      queryClient.clear(); // the next who signs in here may be somebody else
    };
  }, [inside]);
  if (inside) return <SignedIn />;
  return path === '/setup' ? <SetupPage /> : <SignInPage />;
}

function SignedIn() {
  const [path] = useLocation();
  const who = useWhoAmI(); // says at once when the session is not valid
  const me = useMemo(() => (who.data ? meOf(who.data) : ALONE), [who.data]);
  const ready = useStreamReady();
  useEffect(() => (me.team ? onOtherTab(() => location.reload()) : undefined), [me.team]);
  return (
    <MeContext value={me}>
      <AppShell known={who.data !== undefined}>
        <NewNotices />
        <CrashGuard key={`${path} ${who.data?.zone}`}>
          <Loaded query={who} what="account">
            {() => (ready ? <Pages /> : <Waiting />)}
          </Loaded>
        </CrashGuard>
      </AppShell>
    </MeContext>
  );
}

function Pages() {
  const { team, account } = useMe();
  return (
    <Switch>
      <Route path="/" component={JobsPage} />
      <Route path="/new" component={NewJobPage} />
      <Route path="/jobs/:job">{({ job }) => <JobPage key={job} job={job} />}</Route>
      <Route path="/tasks/:task">{({ task }) => <TaskPage key={task} task={task} />}</Route>
      <Route path="/compare" component={ComparePage} />
      <Route path="/queue" component={QueuePage} />
      <Route path="/hosts" component={HostsPage} />
      <Route path="/violations" component={ViolationsPage} />
      <Route path="/calendar" component={CalendarPage} />
      <Route path="/usage" component={UsagePage} />
      <Route path="/cluster">
        <Redirect to="/hosts" replace />
      </Route>
      <Route path="/sign-in" component={Onward} />
      {team && <Route path="/people" component={PeoplePage} />}
      {team && <Route path="/rules" component={RulesPage} />}
      {account && <Route path="/profile" component={ProfilePage} />}
      {!team && <Route path="/settings" component={SettingsPage} />}
      <Route component={NotFoundPage} />
    </Switch>
  );
}

/** `/sign-in?next=/jobs/…` of somebody who has signed in. */
function Onward() {
  return <Redirect to={ownPath(new URLSearchParams(useSearch()).get('next'))} replace />;
}

const PATIENCE_MS = 1000;

/** Pages fetch after the stream has begun, so that no change falls between the two. Not for ever, though. */
function useStreamReady(): boolean {
  const begun = useSyncExternalStore(stream.subscribe, () => stream.begun);
  const [waited, setWaited] = useState(false);
  const [before, setBefore] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setWaited(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    if (waited && !begun) setBefore(true);
    if (before && begun) {
      queryClient.invalidateQueries();
      setBefore(false);
    }
  }, [waited, begun, before]);
  return begun || waited;
}
