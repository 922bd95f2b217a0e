import { Button, Title } from '@mantine/core';
import { useMe } from '../../api/me';
import type { Exemption, Violation } from '../../api/types';
import { useExemptions, useRemoveExemption, useViolations } from '../../api/violations';
import { absolute, plural } from '../../lib/format';
import { CardTable } from '../../parts/CardTable';
import { EmptyState } from '../../parts/EmptyState';
import { IconAlert } from '../../parts/icons';
import { Loaded, Page } from '../../parts/Page';
import { RelativeTime } from '../../parts/RelativeTime';
import { ViolationActs } from './ViolationActs';
import styles from './Violations.module.css';
import { actText, outcomeText, trailOf, whoText, whyText } from './violationsLib';

/** Processes where they ought not to be. Admins see all, others theirs and those on their reservations. */
export default function ViolationsPage() {
  const { role } = useMe();
  const violations = useViolations();
  return (
    <Page title="Violations">
      <Loaded query={violations} what="list of violations">
        {({ pages }) => {
          const all = pages.flatMap(({ items }) => items);
          return (
            <>
              <Open violations={all.filter(({ outcome }) => !outcome)} />
              <Over
                violations={all.filter(({ outcome }) => outcome)}
                more={violations.hasNextPage}
                busy={violations.isFetchingNextPage}
                onMore={() => violations.fetchNextPage()}
              />
            </>
          );
        }}
      </Loaded>
      {role === 'admin' && <Exemptions />}
    </Page>
  );
}

const COLUMNS = ['GPU', 'Who', 'Process', 'Why', 'Since', 'What was done', ''];

function Open({ violations }: { violations: readonly Violation[] }) {
  if (violations.length === 0) {
    return (
      <EmptyState icon={IconAlert} title="Everybody is where they may be">
        Processes on GPUs that somebody else has reserved are shown here, with what was done about each. Backends with
        the setting <code>protect</code> are watched.
      </EmptyState>
    );
  }
  return (
    <section className={styles.part}>
      <Title order={2}>{plural(violations.length, 'process goes on', 'processes go on')}</Title>
      <CardTable label="Violations that go on" columns={COLUMNS}>
        {violations.map((one) => (
          <Row key={one.id} violation={one} />
        ))}
      </CardTable>
    </section>
  );
}

interface OverProps {
  violations: readonly Violation[];
  more: boolean;
  busy: boolean;
  onMore: () => void;
}

function Over({ violations, more, busy, onMore }: OverProps) {
  if (violations.length === 0) return null;
  return (
    <section className={styles.part}>
      <Title order={2}>Over</Title>
      <CardTable label="Violations that are over" columns={COLUMNS}>
        {violations.map((one) => (
          <Row key={one.id} violation={one} />
        ))}
      </CardTable>
      {more && (
        <Button mt="sm" variant="default" loading={busy} onClick={onMore}>
          Older
        </Button>
      )}
    </section>
  );
}

function Row({ violation }: { violation: Violation }) {
  const { device_name: gpu, pid, command, first_seen: since, ended_at: ended, steps = [] } = violation;
  return (
    <tr>
      <td data-wide>
        <strong>{gpu}</strong>
      </td>
      <td data-label="Who">{whoText(violation)}</td>
      <td data-wide className="app-wrap-anywhere">
        {pid} <span className="app-mono">{command ?? 'not known'}</span>
      </td>
      <td data-wide>{whyText(violation)}</td>
      <td data-label="Since">
        <RelativeTime at={since} />
        {ended && <div className={styles.quiet}>{outcomeText(violation)}</div>}
      </td>
      <td data-wide>
        <ul className={styles.trail} aria-label="What was done">
          {trailOf(steps).map(({ at, act, ok, detail, times }) => (
            <li key={`${act} ${at} ${ok} ${detail}`} data-failed={!ok || undefined} title={absolute(at)}>
              {actText(act)}
              {times > 1 && ` (${times} times)`}
              {!ok && ': failed'}
              {detail && <small> {detail}</small>}
            </li>
          ))}
        </ul>
      </td>
      <td>
        <ViolationActs violation={violation} />
      </td>
    </tr>
  );
}

function Exemptions() {
  const found = useExemptions(true).data ?? [];
  const remove = useRemoveExemption();
  if (found.length === 0) return null;
  return (
    <section className={styles.part}>
      <Title order={2}>Exempt</Title>
      <CardTable label="Exemptions" columns={['What', 'Until', 'By', 'Why', '']}>
        {found.map((one) => (
          <tr key={one.id}>
            <td data-wide>{exemptText(one)}</td>
            <td data-label="Until">{absolute(one.until)}</td>
            <td data-label="By">{one.by}</td>
            <td data-wide>{one.why}</td>
            <td>
              <Button size="compact-xs" variant="default" onClick={() => remove.mutate(one.id)}>
                Remove
              </Button>
            </td>
          </tr>
        ))}
      </CardTable>
    </section>
  );
}

const exemptText = ({ account, command, device }: Exemption): string =>
  [account && `what ${account} runs`, command && `what begins with ${command}`, device && `on device ${device}`]
    .filter(Boolean)
    .join(', ');
