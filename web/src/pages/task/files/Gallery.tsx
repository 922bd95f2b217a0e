import { Button, Modal, Slider } from '@mantine/core';
import { useMemo, useState } from 'react';
import { downloadUrl, imageUrl, useImages } from '../../../api/files';
import type { ImageFile } from '../../../api/types';
import { plural } from '../../../lib/format';
import { IconDownload } from '../../../parts/icons';
import styles from './Files.module.css';
import { type Series, seriesOf, shownAt, stepsOf } from './series';

const AT_ONCE = 12;

/** Plots and samples that a script writes: one picture of each series, all at the same step. */
export function Gallery({ task, grows }: { task: string; grows: boolean }) {
  const { data } = useImages(task, grows);
  const [place, setPlace] = useState<number | null>(null);
  const [most, setMost] = useState(AT_ONCE);
  const [large, setLarge] = useState<string | null>(null);
  const items = data?.items;
  const series = useMemo(() => seriesOf(items ?? []), [items]);
  const steps = useMemo(() => stepsOf(items ?? []), [items]);
  if (series.length === 0) return null;
  const at = Math.min(place ?? steps.length - 1, steps.length - 1);
  const step = steps[at] ?? 0;
  const shown = series.find(({ name }) => name === large);
  return (
    <section className="app-panel" aria-label="Images">
      <div className={styles.bar}>
        <h2 className="app-panel-title">Images</h2>
        {steps.length > 1 && (
          <div className={styles.step}>
            <span className={styles.stepText}>step {step.toLocaleString('en-US')}</span>
            <Slider
              className={styles.slider}
              size="sm"
              min={0}
              max={steps.length - 1}
              value={at}
              onChange={setPlace}
              label={null}
              thumbLabel="Step"
              thumbProps={{ 'aria-valuetext': `step ${step}` }}
            />
          </div>
        )}
      </div>
      <ul className={styles.gallery}>
        {series.slice(0, most).map((one) => (
          <li key={one.name}>
            <Picture task={task} series={one} step={step} onOpen={() => setLarge(one.name)} />
          </li>
        ))}
      </ul>
      {(series.length > most || (data && data.items.length < data.total)) && (
        <div className={styles.more}>
          {series.length > most && (
            <Button size="xs" variant="default" onClick={() => setMost(most + 4 * AT_ONCE)}>
              Show more of {plural(series.length, 'series', 'series')}
            </Button>
          )}
          {data && data.items.length < data.total && (
            <span className={styles.dim}>
              {data.items.length.toLocaleString('en-US')} of {plural(data.total, 'image')}, spread over all steps
            </span>
          )}
        </div>
      )}
      <Modal
        opened={shown !== undefined}
        onClose={() => setLarge(null)}
        size="xl"
        title={<span className="app-mono app-wrap-anywhere">{large}</span>}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {shown && <Large task={task} image={shownAt(shown, step)} />}
      </Modal>
    </section>
  );
}

interface PictureProps {
  task: string;
  series: Series;
  step: number;
  onOpen: () => void;
}

function Picture({ task, series, step, onOpen }: PictureProps) {
  const image = shownAt(series, step);
  if (!image) return null;
  const shown = caption(series, image);
  return (
    <button type="button" className={styles.card} onClick={onOpen} aria-label={`Enlarge ${shown}`}>
      <img src={imageUrl(task, image)} alt="" loading="lazy" decoding="async" />
      <span className={styles.caption}>{shown}</span>
    </button>
  );
}

function caption({ name, images }: Series, image: ImageFile): string {
  const short = name.replace(/^work\//, '');
  return images.length > 1 && image.step != null ? `${short} · ${image.step.toLocaleString('en-US')}` : short;
}

function Large({ task, image }: { task: string; image: ImageFile | undefined }) {
  if (!image) return null;
  return (
    <div className={styles.picture}>
      <img src={imageUrl(task, image)} alt={image.path} />
      <Button
        size="compact-sm"
        variant="default"
        component="a"
        href={downloadUrl(task, image.path)}
        download
        leftSection={<IconDownload size={14} />}
      >
        Download
      </Button>
    </div>
  );
}
