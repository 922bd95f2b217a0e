import { Stack } from '@mantine/core';
import { useBackends, useHealth, useNodes } from '../../api/queries';
import { EmptyState } from '../../parts/EmptyState';
import { ErrorPanel } from '../../parts/ErrorPanel';
import { IconServer } from '../../parts/icons';
import { Loaded, Page } from '../../parts/Page';
import { BackendGroup } from './BackendGroup';
import { ClusterSummary } from './ClusterSummary';
import { grouped } from './clusterLib';

export default function ClusterPage() {
  const nodes = useNodes();
  const backends = useBackends();
  const health = useHealth();
  const problems = health.data?.problems ?? [];
  return (
    <Page title="Cluster">
      <Stack gap="lg">
        {problems.length > 0 && <ErrorPanel title="The server has problems" error={problems.join('; ')} />}
        <Loaded query={backends} what="list of backends">
          {(infos) => (
            <Loaded query={nodes} what="list of machines">
              {(found) =>
                found.length ? (
                  <>
                    <ClusterSummary nodes={found} />
                    {grouped(found, infos).map((group) => (
                      <BackendGroup key={group.backend.name} {...group} />
                    ))}
                  </>
                ) : (
                  <EmptyState icon={IconServer} title="No machines">
                    No backend has reported a machine yet. This page looks again every few seconds.
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
