import { Button, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMe } from '../../api/me';
import { useAccounts, useAudit } from '../../api/people';
import type { AuditEntry } from '../../api/types';
import { absolute, fromSeconds } from '../../lib/format';
import { useUrlState } from '../../lib/urlState';
import { CardTable } from '../../parts/CardTable';
import { EmptyState } from '../../parts/EmptyState';
import { IconSearch } from '../../parts/icons';
import { Loaded } from '../../parts/Page';
import { Owner } from '../../parts/Person';
import styles from './People.module.css';
import { detailText } from './peopleLib';

const DEFAULTS = { who: '', act: '' };

/** Who did what. Admins see everybody's acts, others their own. */
export function AuditTab() {
  const { role } = useMe();
  const [{ who, act }, setFilter] = useUrlState(DEFAULTS);
  const [asked] = useDebouncedValue(act.trim(), 250);
  const accounts = useAccounts(role === 'admin');
  const audit = useAudit(who, asked);
  const names = (accounts.data ?? []).map(({ name }) => name);
  return (
    <>
      <Group gap="xs" mb="sm">
        {role === 'admin' && (
          <Select
            aria-label="Who"
            placeholder="Everybody"
            clearable
            clearButtonProps={{ 'aria-label': 'Everybody' }}
            searchable={names.length > 8}
            data={[...new Set([...names, 'server', ...(who ? [who] : [])])]}
            value={who || null}
            onChange={(chosen) => setFilter({ who: chosen ?? '' })}
          />
        )}
        <TextInput
          aria-label="Act"
          placeholder="Any act, such as sign-in"
          leftSection={<IconSearch />}
          value={act}
          onChange={(event) => setFilter({ act: event.currentTarget.value })}
        />
      </Group>
      <Loaded query={audit} what="audit">
        {({ pages }) => {
          const entries = pages.flatMap((page) => page.entries);
          if (entries.length === 0) return <EmptyState icon={IconSearch} title="Nothing of that kind was done" />;
          return (
            <>
              <Entries entries={entries} />
              {audit.hasNextPage && (
                <Button
                  mt="sm"
                  variant="default"
                  loading={audit.isFetchingNextPage}
                  onClick={() => audit.fetchNextPage()}
                >
                  Older
                </Button>
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

const COLUMNS = ['When', 'Who', 'Act', 'On', 'Through'];

function Entries({ entries }: { entries: AuditEntry[] }) {
  return (
    <CardTable label="Audit" columns={COLUMNS}>
      {entries.map((entry) => (
        <tr key={entry.id}>
          <td data-wide style={{ whiteSpace: 'nowrap' }}>
            {absolute(fromSeconds(entry.at))}
          </td>
          <td data-label="Who">
            <Owner name={entry.who} />
          </td>
          <td data-label="Act">{entry.act}</td>
          <td data-wide className="app-wrap-anywhere">
            {[entry.kind, entry.object].filter(Boolean).join(' ')}
            <div className={styles.quiet}>{detailText(entry.detail)}</div>
          </td>
          <td data-label="Through">
            {entry.via}
            {entry.address && (
              <>
                {' '}
                <small>{entry.address}</small>
              </>
            )}
          </td>
        </tr>
      ))}
    </CardTable>
  );
}
