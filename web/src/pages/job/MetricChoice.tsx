import { Button, Checkbox, Popover, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { plural } from '../../lib/format';
import { IconChevronDown } from '../../parts/icons';
import styles from './Job.module.css';
import { grouped } from './lib/metrics';

interface Props {
  names: readonly string[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  /** Kept by the page: with a second metric, the button has another place. */
  opened: boolean;
  onOpened: (opened: boolean) => void;
}

const SEARCHED = 8;
const MOST = 100;

/** Which metrics have a graph: one or several. */
export function MetricChoice({ names, chosen, onChange, opened, onOpened }: Props) {
  const [text, setText] = useState('');
  const groups = grouped(names.filter((name) => name.toLowerCase().includes(text.toLowerCase())));
  const count = plural(chosen.length, 'metric');
  const toggle = (name: string, on: boolean) => {
    const next = on ? [...chosen, name] : chosen.filter((one) => one !== name);
    if (next.length) onChange(next);
  };
  return (
    <Popover position="bottom-start" trapFocus withinPortal opened={opened} onChange={onOpened}>
      <Popover.Target>
        <Button
          size="xs"
          variant="default"
          rightSection={<IconChevronDown size={13} />}
          onClick={() => onOpened(!opened)}
          aria-label={`${chosen.length === 1 ? 'Metrics' : count}: ${chosen.join(', ')}`}
        >
          {chosen.length === 1 ? chosen[0] : count}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs">
        <Stack gap="xs" miw={220}>
          {new Set(names).size > SEARCHED && (
            <TextInput
              size="xs"
              aria-label="Find a metric"
              placeholder="Find a metric"
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          )}
          <div className={styles.choices}>
            {groups.map(({ group, items }) => (
              <Stack key={group} gap={6} mb={8}>
                <Text size="xs" c="dimmed">
                  {group}
                </Text>
                {items.slice(0, MOST).map((name) => (
                  <Checkbox
                    key={name}
                    size="xs"
                    label={name}
                    checked={chosen.includes(name)}
                    onChange={(event) => toggle(name, event.currentTarget.checked)}
                  />
                ))}
              </Stack>
            ))}
          </div>
          <Text size="xs" c="dimmed">
            Each has a graph of its own.
          </Text>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
