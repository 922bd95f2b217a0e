import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type MouseEvent, useEffect, useRef, useState } from 'react';
import type { Overview, ReservableDevice } from '../../../api/types';
import { percent, shownZone } from '../../../lib/format';
import { HOUR } from '../../../lib/zone';
import styles from '../Calendar.module.css';
import { MAINTENANCE } from '../lib/overview';
import { momentName } from '../lib/words';
import { drawOverview, type Hit, hitAt, type Picture, paletteOf, rowHeightOf, TOP } from './draw';

interface Props {
  overview: Overview;
  devices: ReadonlyMap<string, ReservableDevice>;
  name: string;
  onPick: (device: ReservableDevice, at: number) => void;
}

export function OverviewCanvas({ overview, devices, name, onPick }: Props) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const picture = useRef<Picture | null>(null);
  const scheme = useComputedColorScheme('light');
  const [tip, setTip] = useState<{ hit: Hit; x: number; y: number } | null>(null);
  const rowHeight = rowHeightOf(overview.devices.length);
  const height = TOP + overview.devices.length * rowHeight;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are those of the scheme
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!canvas.current || !context || width === 0) return;
    const ratio = devicePixelRatio || 1;
    canvas.current.width = Math.round(width * ratio);
    canvas.current.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const zone = shownZone();
    const palette = paletteOf(canvas.current);
    picture.current = { overview, devices, name, zone, width, rowHeight, now: Date.now(), palette };
    drawOverview(context, picture.current);
    canvas.current.dataset.drawn = String(overview.hours);
  }, [overview, devices, name, width, height, rowHeight, scheme]);

  const hitOf = ({ nativeEvent: { offsetX, offsetY } }: MouseEvent) =>
    picture.current && hitAt(picture.current, offsetX, offsetY);
  const pick = (event: MouseEvent) => {
    const hit = hitOf(event);
    const device = hit && devices.get(overview.devices[hit.row]?.device ?? '');
    if (hit && device) onPick(device, Date.parse(overview.since) + hit.hour * HOUR);
  };
  const move = (event: MouseEvent) => {
    const hit = hitOf(event);
    setTip(hit && { hit, x: event.nativeEvent.offsetX, y: event.nativeEvent.offsetY });
  };
  return (
    <div className={styles.canvas}>
      <div ref={ref} style={{ position: 'relative', height }}>
        <canvas
          ref={canvas}
          role="img"
          aria-label={`Reserved hours of ${overview.devices.length} GPUs over ${Math.round(overview.hours / 168)} weeks; the figures stand beside it`}
          style={{ height }}
          onClick={pick}
          onMouseMove={move}
          onMouseLeave={() => setTip(null)}
        />
        {tip && (
          <div
            className={styles.tip}
            style={{ top: tip.y + 14, ...(tip.x < width / 2 ? { left: tip.x + 10 } : { right: width - tip.x + 10 }) }}
          >
            {words(overview, devices, tip.hit)}
          </div>
        )}
      </div>
    </div>
  );
}

function words(overview: Overview, devices: ReadonlyMap<string, ReservableDevice>, { row, hour }: Hit): string {
  const found = overview.devices[row];
  if (!found) return '';
  const owner = found.reserved[hour];
  const load = found.load[hour];
  const at = momentName(Date.parse(overview.since) + hour * HOUR, shownZone());
  const use = typeof load === 'number' ? `, ${percent(load)} busy` : '';
  return `${devices.get(found.device)?.name ?? found.device}, ${at}: ${owner ? `reserved by ${owner}` : owner === MAINTENANCE ? 'maintenance' : 'not reserved'}${use}`;
}
