import { Switch, Tooltip } from '@mantine/core';
import type { SetView, View } from './view';

/** How the objective is drawn, the same in all graphs. */
export function AxisTools({ metric, view, setView }: { metric: string; view: View; setView: SetView }) {
  return (
    <>
      <Switch
        size="xs"
        label={`Log ${metric}`}
        checked={view.log}
        onChange={(event) => setView({ log: event.currentTarget.checked })}
      />
      <Tooltip label="Values far away from all others do not stretch the axis">
        <div>
          <Switch
            size="xs"
            label="Clip outliers"
            checked={view.clip}
            onChange={(event) => setView({ clip: event.currentTarget.checked })}
          />
        </div>
      </Tooltip>
    </>
  );
}
