import { SegmentedControl, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { useMe } from '../../../api/me';
import { useDevices, useOverview } from '../../../api/reservations';
import type { Overview, ReservableDevice } from '../../../api/types';
import { number, share, shownZone } from '../../../lib/format';
import { useUrlState } from '../../../lib/urlState';
import { dayText } from '../../../lib/zone';
import { Loaded } from '../../../parts/Page';
import styles from '../Calendar.module.css';
import { type Figures, figuresOf } from '../lib/overview';
import { OverviewCanvas } from './OverviewCanvas';

const DEFAULTS = { weeks: 4 };
const WEEKS = [1, 2, 4, 8, 12];
const COLOURS = [
  ['Mine', '--app-accent'],
  ['Others’', '--state-submitted-bar'],
  ['Reserved, but idle', '--state-stopped-bar'],
  ['Used without a reservation', '--state-finished-bar'],
  ['Maintenance', '--state-pruned-bar'],
  ['Free', '--app-surface'],
] as const;

/** Weeks at a glance: what is free, whose the rest is, and what of it lies idle. */
export function OverviewTab() {
  const [{ weeks }, set] = useUrlState(DEFAULTS);
  const shown = WEEKS.includes(weeks) ? weeks : DEFAULTS.weeks;
  const overview = useOverview(shown);
  const devices = useDevices();
  return (
    <>
      <div className={styles.bar}>
        <SegmentedControl
          size="xs"
          aria-label="Weeks"
          data={WEEKS.map((count) => ({ value: String(count), label: count === 1 ? '1 week' : `${count} weeks` }))}
          value={String(shown)}
          onChange={(count) => set({ weeks: Number(count) })}
        />
      </div>
      <Loaded query={devices} what="list of GPUs">
        {(all) => (
          <Loaded query={overview} what="overview">
            {(found) => <Weeks overview={found} devices={all} />}
          </Loaded>
        )}
      </Loaded>
    </>
  );
}

function Weeks({ overview, devices }: { overview: Overview; devices: ReservableDevice[] }) {
  const { name } = useMe();
  const [, navigate] = useLocation();
  const known = useMemo(() => new Map(devices.map((one) => [one.id, one])), [devices]);
  const figures = useMemo(() => figuresOf(overview, known), [overview, known]);
  const open = ({ host }: ReservableDevice, at: number) =>
    navigate(`/calendar?from=${dayText(at, shownZone())}&host=${encodeURIComponent(host)}`);
  return (
    <div className={styles.overview}>
      <section className="app-panel" aria-label="Weeks">
        <p className={styles.legend} style={{ padding: '10px 12px 0' }}>
          {COLOURS.map(([label, colour]) => (
            <span key={label}>
              <i style={{ background: `var(${colour})` }} /> {label}
            </span>
          ))}
        </p>
        <OverviewCanvas overview={overview} devices={known} name={name} onPick={open} />
      </section>
      <div>
        <Table title="People" rows={figures.people} empty="Nobody has reserved anything in these weeks." hours={null} />
        <Table title="GPUs" rows={figures.devices} empty="There are no GPUs." hours={overview.hours} devices={known} />
      </div>
    </div>
  );
}

interface TableProps {
  title: string;
  rows: readonly Figures[];
  empty: string;
  /** Of a GPU: what is reserved is a share of these. */
  hours: number | null;
  devices?: ReadonlyMap<string, ReservableDevice>;
}

function Table({ title, rows, empty, hours, devices }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section className={`app-panel ${styles.figures}`} aria-label={title} tabIndex={0}>
      <h2 className="app-panel-title">{title}</h2>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed" px="md" pb="sm">
          {empty}
        </Text>
      ) : (
        <table className="app-table" aria-label={title}>
          <thead>
            <tr>
              <th />
              <th>{hours === null ? 'GPU-hours' : 'Reserved'}</th>
              <th>{hours === null ? 'Idle' : 'Busy'}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, name, reserved, idle, load }) => (
              <tr key={key}>
                <td className="app-wrap-anywhere">{name}</td>
                <td>
                  {hours === null ? number(reserved, 3) : share(reserved / hours / (devices?.get(key)?.gpus ?? 1))}
                </td>
                <td>{hours === null ? number(idle, 3) : load === null ? '–' : share(load)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
