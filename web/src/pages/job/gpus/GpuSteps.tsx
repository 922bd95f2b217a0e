import { type PointerEvent, useState } from 'react';
import { clock } from '../../../lib/format';
import { changeText, isShort, percentOf, type Step, stepAt, stepLine } from '../../../lib/gpuSteps';
import { linearTicks, timeTicks } from '../../../lib/ticks';
import styles from './Gpus.module.css';

const MOST_DOTS = 60;

interface Props {
  steps: readonly Step[];
  /** In milliseconds: where the graph ends. */
  until: number;
}

/** The number of GPUs as steps; what changed is said beside the pointer, and in the table below for everybody. */
export function GpuSteps({ steps, until }: Props) {
  const [shown, setShown] = useState<Step | null>(null);
  const from = steps[0]?.at ?? until;
  const most = Math.max(...steps.map(({ gpus }) => gpus), 1);
  const line = stepLine(steps, until, most);
  const short = isShort(steps, until);
  const zone = -60 * new Date(until).getTimezoneOffset();
  const times = timeTicks(from / 1000, until / 1000, 4, zone).map((at) => at * 1000);
  const x = (at: number) => `${percentOf(at, from, until)}%`;
  const y = (gpus: number) => `${100 - (gpus / most) * 100}%`;
  const point = (event: PointerEvent<HTMLDivElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    setShown(stepAt(steps, until, ((event.clientX - left) / width) * 100) ?? null);
  };
  return (
    <div
      className={styles.graph}
      role="img"
      aria-label={`GPUs over time, at most ${most}: the table below has each change`}
    >
      <div className={styles.plot} onPointerMove={point} onPointerDown={point} onPointerLeave={() => setShown(null)}>
        {linearTicks(0, most, 4, true).map((gpus) => (
          <div key={gpus} className={styles.across} style={{ top: y(gpus) }}>
            <span>{gpus}</span>
          </div>
        ))}
        {times.map((at) => (
          <div key={at} className={styles.down} style={{ left: x(at) }} data-side={sideOf(percentOf(at, from, until))}>
            <span>{clock(at, until, short)}</span>
          </div>
        ))}
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true" focusable="false">
          <path d={`${line}V100Z`} className={styles.area} />
          <path d={line} className={styles.line} />
        </svg>
        {steps.length <= MOST_DOTS &&
          steps.map((step) => (
            <i key={step.at} className={styles.dot} style={{ left: x(step.at), top: y(step.gpus) }} />
          ))}
        {shown && (
          <>
            <i className={styles.dot} data-shown style={{ left: x(shown.at), top: y(shown.gpus) }} />
            <div
              className={styles.tip}
              style={
                percentOf(shown.at, from, until) < 50
                  ? { left: x(shown.at) }
                  : { right: `${100 - percentOf(shown.at, from, until)}%` }
              }
            >
              <strong>{changeText(shown.before, shown.gpus)}</strong> {clock(shown.at, until, short)}
              <div>{shown.why}</div>
            </div>
          </>
        )}
      </div>
    </div>
  );
}

/** Words near an edge stay inside of it. */
function sideOf(percent: number): 'left' | 'right' | undefined {
  return percent < 12 ? 'left' : percent > 88 ? 'right' : undefined;
}
