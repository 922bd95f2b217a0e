import { Switch, Tooltip } from '@mantine/core';

interface Scale {
  log: boolean;
  clip: boolean;
}

/** Switches for the scale of an axis. `name` is the metric on it, where it is not clear which one is meant. */
export function AxisTools(props: { name?: string; scale: Scale; change: (some: Partial<Scale>) => void }) {
  const { name, scale, change } = props;
  return (
    <>
      <Switch
        size="xs"
        label={name ? `Log ${name}` : 'Log'}
        checked={scale.log}
        onChange={(event) => change({ log: event.currentTarget.checked })}
      />
      <Tooltip label="Values far away from all others do not stretch the axis">
        <div>
          <Switch
            size="xs"
            label="Clip outliers"
            checked={scale.clip}
            onChange={(event) => change({ clip: event.currentTarget.checked })}
          />
        </div>
      </Tooltip>
    </>
  );
}
