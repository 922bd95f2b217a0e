import { ActionIcon, Button, Group, SegmentedControl, Select, Tooltip } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useMe } from '../../api/me';
import type { ReservableDevice } from '../../api/types';
import { DAY, HOUR, MINUTE } from '../../lib/zone';
import { CalendarLink } from '../../parts/CalendarLink';
import { IconBack, IconChevronRight, IconLink, IconPlus, IconSearch } from '../../parts/icons';
import styles from './Calendar.module.css';
import { FirstFree } from './dialog/FirstFree';
import type { Wanted } from './lib/form';
import { shortModel } from './lib/rows';
import { LENGTHS, type Span } from './lib/span';
import { dayName } from './lib/words';
import { useCalendarView } from './view';

const FREE_HOURS = [1, 2, 4, 8, 24, 72, 168];

interface Props {
  devices: readonly ReservableDevice[];
  span: Span;
  phone: boolean;
  onTurn: (by: 1 | -1) => void;
  onReserve: (wanted: Wanted) => void;
}

export function CalendarBar({ devices, span, phone, onTurn, onReserve }: Props) {
  const { account, can } = useMe();
  const [view, setView] = useCalendarView();
  const [finding, setFinding] = useState(false);
  const [linking, setLinking] = useState(false);
  const hosts = useMemo(() => unique(devices.map(({ host }) => host)), [devices]);
  const models = useMemo(() => unique(devices.map(({ model }) => model ?? '')), [devices]);
  const start = () => Math.ceil(Date.now() / (15 * MINUTE)) * 15 * MINUTE;
  const last = span.until - DAY / 2;
  return (
    <>
      <div className={styles.bar}>
        <Group gap={4} wrap="nowrap">
          <Tooltip label="Earlier">
            <ActionIcon aria-label="Earlier" onClick={() => onTurn(-1)}>
              <IconBack />
            </ActionIcon>
          </Tooltip>
          <Button size="compact-sm" variant="default" onClick={() => setView({ from: '' })}>
            Today
          </Button>
          <Tooltip label="Later">
            <ActionIcon aria-label="Later" onClick={() => onTurn(1)}>
              <IconChevronRight />
            </ActionIcon>
          </Tooltip>
        </Group>
        <div className={styles.range}>
          {span.days.length > 2
            ? `${dayName(span.from, span.zone)} to ${dayName(last, span.zone)}`
            : dayName(span.from, span.zone)}
          <small>{span.zone}</small>
        </div>
        {!phone && (
          <SegmentedControl
            size="xs"
            aria-label="Days"
            data={LENGTHS.map((days) => ({ value: String(days), label: days === 1 ? '1 day' : `${days} days` }))}
            value={String(span.days.length - 1)}
            onChange={(days) => setView({ days: Number(days) })}
          />
        )}
        {can('submit') && (
          <Button
            size="sm"
            leftSection={<IconPlus />}
            onClick={() => onReserve({ devices: [], from: start(), until: start() + 4 * HOUR })}
          >
            Reserve
          </Button>
        )}
      </div>
      <div className={styles.bar}>
        {hosts.length > 1 && (
          <Choice label="Host" all="All hosts" data={hosts} value={view.host} onChange={(host) => setView({ host })} />
        )}
        {models.length > 1 && (
          <Choice
            label="Model"
            all="All models"
            data={models.map((value) => ({ value, label: shortModel(value) }))}
            value={view.model}
            onChange={(model) => setView({ model })}
          />
        )}
        {!phone && (
          <Choice
            label="Free now for"
            all="Free or taken"
            data={FREE_HOURS.map((hours) => ({ value: String(hours), label: hoursText(hours) }))}
            value={view.free ? String(view.free) : ''}
            onChange={(free) => setView({ free: Number(free) })}
          />
        )}
        <Group gap="xs" ml={{ sm: 'auto' }}>
          {can('submit') && (
            <Button size="xs" variant="default" leftSection={<IconSearch />} onClick={() => setFinding(true)}>
              First free slot
            </Button>
          )}
          {account && (
            <Button size="xs" variant="default" leftSection={<IconLink />} onClick={() => setLinking(true)}>
              Calendar link
            </Button>
          )}
        </Group>
      </div>
      <FirstFree opened={finding} devices={devices} onClose={() => setFinding(false)} onTake={onReserve} />
      {account && <CalendarLink opened={linking} hosts={hosts} onClose={() => setLinking(false)} />}
    </>
  );
}

interface ChoiceProps {
  label: string;
  /** When nothing is chosen. */
  all: string;
  data: string[] | { value: string; label: string }[];
  value: string;
  onChange: (value: string) => void;
}

function Choice({ label, all, data, value, onChange }: ChoiceProps) {
  return (
    <Select
      size="xs"
      className={styles.narrow}
      aria-label={label}
      placeholder={all}
      searchable={data.length > 8}
      clearable
      clearButtonProps={{ 'aria-label': all }}
      data={data}
      value={value || null}
      onChange={(chosen) => onChange(chosen ?? '')}
    />
  );
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names.filter(Boolean))].sort(new Intl.Collator('en', { numeric: true }).compare);
}

function hoursText(hours: number): string {
  return hours < 48 ? `Free now for ${hours} h` : `Free now for ${hours / 24} days`;
}
