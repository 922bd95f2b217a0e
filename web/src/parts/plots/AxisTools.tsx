import { Switch, Tooltip } from '@mantine/core';

interface Scale {
  log: boolean;
  clip: boolean;
}

interface Props {
  /** The metric on the axis, where it is not clear which one is meant. */
  name?: string;
  scale: Scale;
  change: (some: Partial<Scale>) => void;
}

/** Switches for the scale of an axis. */
export function AxisTools(props: Props) {
  return (
    <>
      <LogSwitch {...props} />
      <ClipSwitch {...props} />
    </>
  );
}

export function LogSwitch({ name, scale, change }: Props) {
  return (
    <Switch
      size="xs"
      label={name ? `Log ${name}` : 'Log'}
      checked={scale.log}
      onChange={(event) => change({ log: event.currentTarget.checked })}
    />
  );
}

export function ClipSwitch({ scale, change }: Omit<Props, 'name'>) {
  return (
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
  );
}
