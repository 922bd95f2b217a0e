import { Select, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMe } from '../../api/me';
import { useAccounts } from '../../api/people';
import { useDevices } from '../../api/reservations';
import { useTrial } from '../../api/rules';
import { shownZone } from '../../lib/format';
import { fieldText, fromField } from '../../lib/zone';
import { CardTable } from '../../parts/CardTable';
import { EmptyState } from '../../parts/EmptyState';
import { IconServer } from '../../parts/icons';
import { Loaded } from '../../parts/Page';
import styles from './Rules.module.css';

const ACTS = [
  { value: 'reserve', label: 'reserve' },
  { value: 'run', label: 'run jobs on' },
];

/** Who may use a GPU at a moment? */
export function TryTab() {
  const devices = useDevices();
  return (
    <Loaded query={devices} what="list of GPUs">
      {(all) =>
        all.length === 0 ? (
          <EmptyState icon={IconServer} title="There are no GPUs that can be reserved">
            They are found on the hosts and nodes of this server.
          </EmptyState>
        ) : (
          <Trial devices={all.map(({ id, name }) => ({ value: id, label: name }))} />
        )
      }
    </Loaded>
  );
}

function Trial({ devices }: { devices: { value: string; label: string }[] }) {
  const admin = useMe().role === 'admin';
  const accounts = useAccounts(admin);
  const [zone] = useState(shownZone);
  const [act, setAct] = useState<'reserve' | 'run'>('reserve');
  const [device, setDevice] = useState(devices[0]?.value ?? '');
  const [at, setAt] = useState(() => fieldText(Date.now(), zone));
  const [account, setAccount] = useState<string | null>(null);
  const moment = fromField(at, zone);
  const asked = device && moment !== null ? { device, act, at: new Date(moment).toISOString() } : null;
  const trial = useTrial(asked && { ...asked, ...(account && { account }) });
  return (
    <>
      <div className={`app-panel ${styles.try}`}>
        {admin && (
          <Select
            label="Who may"
            placeholder="Everybody"
            clearable
            clearButtonProps={{ 'aria-label': 'Everybody' }}
            searchable
            data={(accounts.data ?? []).map(({ name }) => name)}
            value={account}
            onChange={setAccount}
          />
        )}
        <Select
          label={admin ? 'do this' : 'May I'}
          allowDeselect={false}
          data={ACTS}
          value={act}
          onChange={(chosen) => chosen && setAct(chosen as 'reserve' | 'run')}
        />
        <Select
          label="GPU"
          searchable
          allowDeselect={false}
          data={devices}
          value={device}
          onChange={(chosen) => chosen && setDevice(chosen)}
        />
        <TextInput
          label={`at (${zone})`}
          type="datetime-local"
          value={at}
          error={moment === null ? 'Give a date and a time' : undefined}
          onChange={(event) => setAt(event.currentTarget.value)}
        />
      </div>
      {asked && (
        <Loaded query={trial} what="answer">
          {(found) => (
            <CardTable label="Who may" columns={['Who', 'May', 'Why']}>
              {found.map((one) => (
                <tr key={one.account}>
                  <td data-wide>
                    <strong>{one.account}</strong>
                  </td>
                  <td data-label="May">
                    <Text span size="sm" fw={600} c={`var(--state-${one.allowed ? 'finished' : 'error'}-fg)`}>
                      {one.allowed ? 'yes' : 'no'}
                    </Text>
                  </td>
                  <td data-label="Why" data-wide className="app-wrap-anywhere">
                    {one.why}
                  </td>
                </tr>
              ))}
            </CardTable>
          )}
        </Loaded>
      )}
    </>
  );
}
