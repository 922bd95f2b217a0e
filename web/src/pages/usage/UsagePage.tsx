import { Button, Group, SegmentedControl, Select, Tabs, Title } from '@mantine/core';
import { useMe } from '../../api/me';
import type { UsageBy, UsageReport } from '../../api/types';
import { daysAgo, useUsage } from '../../api/usage';
import { saveCsv } from '../../lib/download';
import { useUrlState } from '../../lib/urlState';
import { EmptyState } from '../../parts/EmptyState';
import { IconChart, IconDownload } from '../../parts/icons';
import { Loaded, Page } from '../../parts/Page';
import { OwnReservations } from './OwnReservations';
import { UsageTable } from './UsageTable';

const DEFAULTS = { tab: 'mine', by: 'account', days: '28' };
const STRETCHES = [
  { value: '7', label: '7 days' },
  { value: '28', label: '4 weeks' },
  { value: '84', label: '12 weeks' },
  { value: '364', label: 'a year' },
];
const KINDS: { value: UsageBy; label: string }[] = [
  { value: 'account', label: 'Person' },
  { value: 'group', label: 'Group' },
  { value: 'device', label: 'GPU' },
  { value: 'week', label: 'Week' },
];

/** How many GPU-hours were reserved and used. Everybody sees their own; who may, sees those of all. */
export default function UsagePage() {
  const { team } = useMe();
  const [{ tab, by, days }, setState] = useUrlState(DEFAULTS);
  const since = daysAgo(Number(days) || 28);
  const kind = KINDS.find(({ value }) => value === by)?.value ?? 'account';
  const all = useUsage(kind, since, false, team);
  const several = team && all.data?.mine_only === false;
  const stretch = (
    <Select
      aria-label="Stretch of time"
      data={STRETCHES}
      value={days}
      allowDeselect={false}
      w={130}
      onChange={(next) => setState({ days: next ?? DEFAULTS.days })}
    />
  );
  return (
    <Page title="Usage" actions={stretch}>
      {several ? (
        <Tabs value={tab} onChange={(next) => setState({ tab: next ?? DEFAULTS.tab })} keepMounted={false}>
          <Tabs.List mb="md">
            <Tabs.Tab value="mine">Mine</Tabs.Tab>
            <Tabs.Tab value="all">Everybody</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="mine">
            <Mine since={since} />
          </Tabs.Panel>
          <Tabs.Panel value="all">
            <Group justify="space-between" mb="sm">
              <SegmentedControl
                aria-label="A row is"
                data={KINDS}
                value={kind}
                onChange={(next) => setState({ by: next })}
              />
              <Button
                variant="default"
                leftSection={<IconDownload />}
                disabled={!all.data?.rows.length}
                onClick={() => all.data && download(all.data)}
              >
                CSV
              </Button>
            </Group>
            <Loaded query={all} what="usage">
              {(report) => <Report report={report} label="Usage of everybody" />}
            </Loaded>
          </Tabs.Panel>
        </Tabs>
      ) : (
        <Mine since={since} />
      )}
    </Page>
  );
}

function Mine({ since }: { since: number }) {
  const weeks = useUsage('week', since, true);
  return (
    <>
      <Title order={2} mb="xs">
        My GPU-hours
      </Title>
      <Loaded query={weeks} what="usage">
        {(report) => <Report report={{ ...report, rows: report.rows.toReversed() }} label="My GPU-hours by week" />}
      </Loaded>
      <Title order={2} mb="xs">
        My reservations
      </Title>
      <OwnReservations since={since} />
    </>
  );
}

function Report({ report, label }: { report: UsageReport; label: string }) {
  if (report.rows.length === 0) {
    return (
      <EmptyState icon={IconChart} title="Nothing was reserved or used in this time">
        Choose a longer stretch of time.
      </EmptyState>
    );
  }
  const what = KINDS.find(({ value }) => value === report.by)?.label ?? '';
  return <UsageTable label={label} what={what} rows={report.rows} />;
}

function download({ by, rows }: UsageReport) {
  const head = [by, 'name', 'reserved_gpu_hours', 'used_gpu_hours', 'idle_gpu_hours', 'efficiency'];
  const lines = rows.map((row) => [row.key, row.name, row.reserved, row.used, row.idle, row.efficiency]);
  saveCsv([head, ...lines], `usage-by-${by}.csv`);
}
