import type { CSSProperties } from 'react';
import type { UsageRow } from '../../api/types';
import { percent } from '../../lib/format';
import { CardTable } from '../../parts/CardTable';
import styles from './Usage.module.css';
import { hours } from './usageLib';

interface Props {
  label: string;
  /** What a row is: `Week`. */
  what: string;
  rows: readonly UsageRow[];
}

/** GPU-hours in rows; bars compare them with the largest. */
export function UsageTable({ label, what, rows }: Props) {
  const largest = Math.max(...rows.map(({ used, idle }) => used + idle), 1e-9);
  return (
    <>
      <CardTable label={label} columns={[what, 'Used', 'Idle', 'Reserved', 'Efficiency', 'Used and idle']}>
        {rows.map((row) => (
          <tr key={row.key}>
            <td data-wide className="app-wrap-anywhere">
              {row.name}
            </td>
            <td data-label="Used" className={styles.figure}>
              {hours(row.used)}
            </td>
            <td data-label="Idle" className={styles.figure}>
              {hours(row.idle)}
            </td>
            <td data-label="Reserved" className={styles.figure}>
              {hours(row.reserved)}
            </td>
            <td data-label="Efficiency" className={styles.figure}>
              {percent(row.efficiency)}
            </td>
            <td data-wide>
              <div className={styles.bar} aria-hidden="true">
                <div className={styles.used} style={{ width: `${(row.used / largest) * 100}%` }} />
                <div className={styles.idle} style={{ width: `${(row.idle / largest) * 100}%` }} />
              </div>
            </td>
          </tr>
        ))}
      </CardTable>
      <div className={styles.legend}>
        <span style={{ '--swatch': 'var(--mantine-color-teal-7)' } as CSSProperties}>used, reserved or not</span>
        <span style={{ '--swatch': 'var(--mantine-color-orange-4)' } as CSSProperties}>
          idle: reserved, and nothing ran
        </span>
        All figures are GPU-hours. Efficiency is the share of the reserved time in which it was used.
      </div>
    </>
  );
}
