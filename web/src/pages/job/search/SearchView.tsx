import { Stack } from '@mantine/core';
import { useDeferredValue } from 'react';
import { useSearchReport } from '../../../api/search';
import { EmptyState } from '../../../parts/EmptyState';
import { IconSearch } from '../../../parts/icons';
import { Loaded } from '../../../parts/Page';
import { Contour } from './Contour';
import { History } from './History';
import { Importance } from './Importance';
import { Lineage } from './Lineage';
import { Pareto } from './Pareto';
import type { PanelProps, SearchProps } from './panel';
import { Repeats } from './Repeats';
import { Rungs } from './Rungs';
import { Schedules } from './Schedules';
import styles from './Search.module.css';
import { Standing } from './Standing';

/** How the search goes: what it found, what matters, what it stopped. */
export function SearchView(props: SearchProps) {
  return (
    <Loaded query={useSearchReport(props.job.id)} what="report of the search">
      {(report) => <Panels {...props} report={report} />}
    </Loaded>
  );
}

function Panels(props: PanelProps) {
  const report = useDeferredValue(props.report);
  const given = { ...props, report };
  const several = report.objectives.length > 1;
  const stops = (report.stop_early.method ?? 'none') !== 'none';
  const repeated = report.history.some(({ tasks }) => tasks.length > 1);
  const moved = report.method === 'pbt' || (report.moves ?? []).length > 0;
  if (report.history.length === 0) {
    return (
      <section className="app-panel" aria-label="Search">
        <EmptyState icon={IconSearch} title="No trial yet">
          The first ones appear here as soon as the search has chosen them.
        </EmptyState>
      </section>
    );
  }
  return (
    <Stack gap="md">
      <Standing report={report} job={props.job} />
      <div className={styles.wideAndNarrow}>
        <History {...given} />
        <Importance report={report} />
      </div>
      <div className={several ? styles.two : undefined}>
        <Contour {...given} />
        {several && <Pareto {...given} />}
      </div>
      {stops && <Rungs report={report} />}
      {moved && <Schedules {...given} />}
      {moved && <Lineage {...given} />}
      {repeated && <Repeats {...given} />}
    </Stack>
  );
}
