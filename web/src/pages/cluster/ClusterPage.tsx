import { Stack } from '@mantine/core';
import { useHealth, useNodes } from '../../api/queries';
import { EmptyState } from '../../parts/EmptyState';
import { ErrorPanel } from '../../parts/ErrorPanel';
import { IconServer } from '../../parts/icons';
import { Loaded, Page } from '../../parts/Page';
import styles from './Cluster.module.css';
import { ClusterSummary } from './ClusterSummary';
import { NodeCard } from './NodeCard';

export default function ClusterPage() {
  const nodes = useNodes();
  const health = useHealth();
  const problems = health.data?.problems ?? [];
  return (
    <Page title="Cluster">
      <Stack>
        {problems.length > 0 && <ErrorPanel title="The server has problems" error={problems.join('; ')} />}
        <Loaded query={nodes} what="list of machines">
          {(found) =>
            found.length ? (
              <>
                <ClusterSummary nodes={found} />
                <div className={styles.nodes}>
                  {found.map((node) => (
                    <NodeCard key={`${node.backend} ${node.name}`} node={node} />
                  ))}
                </div>
              </>
            ) : (
              <EmptyState icon={IconServer} title="No machines">
                No backend has reported a machine yet. This page looks again every few seconds.
              </EmptyState>
            )
          }
        </Loaded>
      </Stack>
    </Page>
  );
}
