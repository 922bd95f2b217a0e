import { memo } from 'react';
import type { ReservableDevice } from '../../../api/types';
import { bytes, percent, plural } from '../../../lib/format';
import { IconChevronDown, IconChevronRight } from '../../../parts/icons';
import styles from '../Calendar.module.css';
import { type Row, shortModel } from '../lib/rows';
import type { Sight } from './layers';
import { ROW } from './place';

interface Props {
  rows: readonly Row[];
  sight: Sight;
  onFold: (key: string) => void;
}

/** The names of the rows: hosts, which fold, and GPUs with what they are and how busy. */
export const SideRows = memo(function SideRows({ rows, sight: { first, last }, onFold }: Props) {
  return (
    <div className={styles.side}>
      {rows.map((row, index) => {
        if (index < first || index > last) return null;
        if (row.kind === 'device') return <DeviceLabel key={row.device.id} device={row.device} top={index * ROW} />;
        const { key, name, devices } = row.group;
        const Chevron = row.folded ? IconChevronRight : IconChevronDown;
        return (
          <button
            key={key}
            type="button"
            className={styles.fold}
            style={{ top: index * ROW }}
            aria-expanded={!row.folded}
            onClick={() => onFold(key)}
          >
            <Chevron size={14} /> <span>{name}</span>
            <small>
              {plural(
                devices.reduce((sum, { gpus = 1 }) => sum + gpus, 0),
                'GPU',
              )}
            </small>
          </button>
        );
      })}
    </div>
  );
});

function DeviceLabel({ device, top }: { device: ReservableDevice; top: number }) {
  const { name, model = '', memory, gpus = 1, load, online } = device;
  const about = [gpus > 1 && `${gpus} ×`, shortModel(model), memory ? `· ${bytes(memory)}` : '']
    .filter(Boolean)
    .join(' ');
  const busy = load === null || load === undefined ? 'load not known' : `${percent(load)} busy now`;
  const title = [name, model, memory ? bytes(memory) : '', online ? busy : 'takes no work now']
    .filter(Boolean)
    .join(', ');
  return (
    <div className={styles.label} style={{ top }} data-offline={!online || undefined} title={title}>
      <b>{name}</b>
      <small>{online ? about : 'offline'}</small>
      <span className={styles.load}>{typeof load === 'number' && <i style={{ width: `${load * 100}%` }} />}</span>
    </div>
  );
}
