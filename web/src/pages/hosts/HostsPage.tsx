import { Stack } from '@mantine/core';
import { useLoad } from '../../api/load';
import { useBackends, useHealth } from '../../api/system';
import { EmptyState } from '../../parts/EmptyState';
import { ErrorPanel } from '../../parts/ErrorPanel';
import { IconServer } from '../../parts/icons';
import { Loaded, Page } from '../../parts/Page';
import { BackendGroup } from './BackendGroup';
import { HostsSummary } from './HostsSummary';
import { LoggedInPeople } from './LoggedInPeople';
import { grouped } from './nodes';
import { Processes } from './Processes';
import { SetAside } from './SetAside';
import { TileBoard } from './tiles/TileBoard';
import { Use } from './Use';

export default function HostsPage() {
  const load = useLoad();
  const backends = useBackends();
  const health = useHealth();
  const problems = health.data?.problems ?? [];
  return (
    <Page title="Hosts">
      <Stack gap="lg">
        {problems.length > 0 && <ErrorPanel title="The server has problems" error={problems.join('; ')} />}
        <SetAside count={health.data?.set_aside ?? 0} />
        <Loaded query={backends} what="list of backends">
          {(infos) => (
            <Loaded query={load} what="list of nodes">
              {(report) =>
                report.nodes.length ? (
                  <>
                    <HostsSummary nodes={report.nodes} />
                    <TileBoard nodes={report.nodes} />
                    <Use report={report} />
                    <Processes nodes={report.nodes} />
                    <LoggedInPeople nodes={report.nodes} />
                    {grouped(report.nodes, infos).map((group) => (
                      <BackendGroup key={group.backend.name} {...group} />
                    ))}
                  </>
                ) : (
                  <EmptyState icon={IconServer} title="No nodes">
                    No backend has reported a node yet. This page asks again every few seconds.
                  </EmptyState>
                )
              }
            </Loaded>
          )}
        </Loaded>
      </Stack>
    </Page>
  );
}
