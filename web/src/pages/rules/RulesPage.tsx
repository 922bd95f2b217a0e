import { Tabs } from '@mantine/core';
import { useUrlState } from '../../lib/urlState';
import { Page } from '../../parts/Page';
import { QuotasTab } from './QuotasTab';
import { RulesTab } from './RulesTab';
import { TryTab } from './TryTab';

const DEFAULTS = { tab: 'rules' };
const TABS = [
  { id: 'rules', name: 'Rules', shown: <RulesTab /> },
  { id: 'try', name: 'Try', shown: <TryTab /> },
  { id: 'quotas', name: 'Quotas', shown: <QuotasTab /> },
];

/** Who may use which GPUs when, and how much. Everybody sees what is about them; admins see and change all. */
export default function RulesPage() {
  const [{ tab }, setTab] = useUrlState(DEFAULTS);
  return (
    <Page title="Rules">
      <Tabs
        value={TABS.some(({ id }) => id === tab) ? tab : DEFAULTS.tab}
        onChange={(next) => setTab({ tab: next ?? DEFAULTS.tab })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {TABS.map(({ id, name }) => (
            <Tabs.Tab key={id} value={id}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map(({ id, shown }) => (
          <Tabs.Panel key={id} value={id}>
            {shown}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
