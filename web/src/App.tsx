import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { useSignedOut } from './api/client';
import { queryClient, stream } from './api/live';
import { useVersion } from './api/system';
import { NotFoundPage } from './pages/NotFoundPage';
import { AppShell } from './parts/AppShell';
import { CrashGuard } from './parts/CrashGuard';
import { JobNotices } from './parts/JobNotices';
import { Waiting } from './parts/Page';
import { cssVariables, theme } from './theme/theme';

const JobsPage = lazy(() => import('./pages/jobs/JobsPage'));
const NewJobPage = lazy(() => import('./pages/new-job/NewJobPage'));
const JobPage = lazy(() => import('./pages/job/JobPage'));
const TaskPage = lazy(() => import('./pages/task/TaskPage'));
const ComparePage = lazy(() => import('./pages/compare/ComparePage'));
const ClusterPage = lazy(() => import('./pages/cluster/ClusterPage'));
const SignInPage = lazy(() => import('./pages/SignInPage'));

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

/** Signed out: the sign-in page, at whatever address, which stays. */
function Gate() {
  const signedOut = useSignedOut();
  useEffect(() => {
    if (signedOut) {
      stream.stop();
      queryClient.clear();
      return;
    }
    stream.start();
    return () => stream.stop();
  }, [signedOut]);
  return signedOut ? (
    <Suspense fallback={<Waiting />}>
      <SignInPage />
    </Suspense>
  ) : (
    <SignedIn />
  );
}

function SignedIn() {
  const [path] = useLocation();
  useVersion(); // says at once when the token is not valid
  const ready = useStreamReady();
  return (
    <AppShell>
      <JobNotices />
      <CrashGuard key={path}>
        <Suspense fallback={<Waiting />}>{ready ? <Pages /> : <Waiting />}</Suspense>
      </CrashGuard>
    </AppShell>
  );
}

function Pages() {
  return (
    <Switch>
      <Route path="/" component={JobsPage} />
      <Route path="/new" component={NewJobPage} />
      <Route path="/jobs/:job">{({ job }) => <JobPage key={job} job={job} />}</Route>
      <Route path="/tasks/:task">{({ task }) => <TaskPage key={task} task={task} />}</Route>
      <Route path="/compare" component={ComparePage} />
      <Route path="/cluster" component={ClusterPage} />
      <Route component={NotFoundPage} />
    </Switch>
  );
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
