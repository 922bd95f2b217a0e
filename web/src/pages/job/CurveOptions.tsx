import { Button, Popover, Select, Stack, Switch } from '@mantine/core';
import { useMemo } from 'react';
import { IconChevronDown } from '../../parts/icons';
import { ClipSwitch } from '../../parts/plots/AxisTools';
import type { GraphProps } from './graph';
import { EPOCH_METRIC, type X } from './lib/across';
import { groupings } from './lib/groups';

interface Props extends GraphProps {
  x: X;
  names: readonly string[];
  /** What tasks count. */
  counts: string;
  /** Training or validation with the metric; null where there is none of them. */
  second: { name: string; on: boolean } | null;
  secondIsPossible: boolean;
}

/** What is across, groups, and what is seldom needed: one click away. */
export function CurveOptions({ sweep, view, setView, x, names, counts, second, secondIsPossible }: Props) {
  const { all, shape, groups } = sweep;
  // biome-ignore lint/correctness/useExhaustiveDependencies: parameters hold still while the shape does
  const possible = useMemo(() => groupings(all, shape), [shape]);
  const across = [
    { value: 'step', label: `By ${counts}` },
    ...(names.includes(EPOCH_METRIC) ? [{ value: 'epoch', label: 'By epoch' }] : []),
    { value: 'relative', label: 'Time since the start' },
    { value: 'wall', label: 'Time of day' },
  ];
  const by = [
    { value: 'none', label: 'No groups' },
    ...possible.map((one) => ({
      value: one,
      label: one === 'trial' ? 'Repetitions of a configuration' : one.slice('param.'.length),
    })),
  ];
  const group = groups?.by ?? 'none';
  return (
    <Popover position="bottom-start" withinPortal>
      <Popover.Target>
        <Button size="xs" variant="default" rightSection={<IconChevronDown size={13} />}>
          {groups
            ? groups.by === 'trial'
              ? 'Means of repeats'
              : `Means by ${groups.by.slice('param.'.length)}`
            : 'Options'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="sm">
        <Stack gap="sm" w={230}>
          <Select
            size="xs"
            label="Across"
            data={across}
            value={x || 'step'}
            allowDeselect={false}
            comboboxProps={{ withinPortal: false }}
            onChange={(chosen) => setView({ x: chosen === 'step' ? '' : (chosen ?? '') })}
          />
          {by.length > 1 && (
            <Select
              size="xs"
              label="Group by"
              description="The mean of each group, and a standard deviation around it"
              data={by}
              value={group}
              allowDeselect={false}
              comboboxProps={{ withinPortal: false }}
              onChange={(chosen) => setView({ group: groupView(chosen ?? 'none', shape.repeated), hide: [] })}
            />
          )}
          {second && (
            <Switch
              size="xs"
              label={second.name}
              description="Dashed"
              disabled={!secondIsPossible}
              checked={second.on}
              onChange={(event) => setView({ both: event.currentTarget.checked })}
            />
          )}
          <ClipSwitch scale={view} change={setView} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** '' is what a job has by itself. */
function groupView(chosen: string, repeated: boolean): string {
  return chosen === (repeated ? 'trial' : 'none') ? '' : chosen;
}
