import { Tabs } from '@mantine/core';
import { useUrlState } from '../../lib/urlState';
import { Page } from '../../parts/Page';
import { CalendarTab } from './CalendarTab';
import { OverviewTab } from './overview/OverviewTab';

const DEFAULTS = { tab: 'calendar' };

/** Who has which GPU when. */
export default function CalendarPage() {
  const [{ tab }, set] = useUrlState(DEFAULTS);
  return (
    <Page title="Calendar">
      <Tabs
        value={tab === 'overview' ? tab : DEFAULTS.tab}
        onChange={(next) => set({ tab: next ?? DEFAULTS.tab })}
        keepMounted={false}
      >
        <Tabs.List mb="sm">
          <Tabs.Tab value="calendar">Days</Tabs.Tab>
          <Tabs.Tab value="overview">Overview</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="calendar">
          <CalendarTab />
        </Tabs.Panel>
        <Tabs.Panel value="overview">
          <OverviewTab />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
