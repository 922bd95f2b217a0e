import { Button, Checkbox, Popover, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMetricNames } from '../../api/curves';
import type { JobDetail, Objective } from '../../api/types';
import { IconChevronDown } from '../../parts/icons';
import { columnName, columnsOf } from './columns';
import styles from './Job.module.css';
import { isOfMachine } from './lib/metrics';
import type { Shape } from './useSweep';

interface Props {
  job: JobDetail;
  shape: Shape;
  objectives: readonly Objective[];
  step: string;
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}

const MOST = 60;
const SEARCHED = 12;

/** Which columns the table has: the usual ones, all parameters, and the last and best value of any metric. */
export function ColumnChoice(props: Props) {
  return (
    <Popover position="bottom-end" trapFocus withinPortal>
      <Popover.Target>
        <Button
          size="compact-xs"
          variant="default"
          className={styles.barEnd}
          rightSection={<IconChevronDown size={12} />}
        >
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs">
        <Choices {...props} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Choices({ job, shape, objectives, step, chosen, onChange }: Props) {
  const [text, setText] = useState('');
  const { data: metrics = [] } = useMetricNames(job.id);
  const usual = columnsOf(shape, objectives, null, step, null).filter(({ id }) => id !== 'number');
  const ids = new Set(usual.map(({ id }) => id));
  const fixed = shape.all.map((name) => `param.${name}`).filter((id) => !ids.has(id));
  const reported = metrics.filter((name) => !isOfMachine(name));
  const groups = [
    { name: 'Usual', items: usual.map(({ id, header }) => ({ id, label: header })) },
    { name: 'Parameters with one value', items: fixed.map((id) => ({ id, label: id.slice('param.'.length) })) },
    {
      name: 'Metrics',
      items: reported.flatMap((name) => [`last.${name}`, `best.${name}`].map((id) => ({ id, label: columnName(id) }))),
    },
  ];
  const isShown = (id: string) => (ids.has(id) ? !chosen.includes(`-${id}`) : chosen.includes(id));
  const toggle = (id: string, on: boolean) => {
    const rest = chosen.filter((one) => one !== id && one !== `-${id}`);
    onChange(on === ids.has(id) ? rest : [...rest, on ? id : `-${id}`]);
  };
  const found = groups.map(({ name, items }) => ({
    name,
    items: items.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase())),
  }));
  return (
    <Stack gap="xs" miw={230}>
      {groups.reduce((sum, { items }) => sum + items.length, 0) > SEARCHED && (
        <TextInput
          size="xs"
          aria-label="Find a column"
          placeholder="Find a column"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <div className={styles.choices}>
        {found
          .filter(({ items }) => items.length > 0)
          .map(({ name, items }) => (
            <Stack key={name} gap={6} mb={8}>
              <Text size="xs" c="dimmed">
                {name}
              </Text>
              {items.slice(0, MOST).map(({ id, label }) => (
                <Checkbox
                  key={id}
                  size="xs"
                  label={label}
                  checked={isShown(id)}
                  onChange={(event) => toggle(id, event.currentTarget.checked)}
                />
              ))}
            </Stack>
          ))}
      </div>
      {chosen.length > 0 && (
        <Button size="compact-xs" variant="default" onClick={() => onChange([])}>
          The usual columns
        </Button>
      )}
    </Stack>
  );
}
