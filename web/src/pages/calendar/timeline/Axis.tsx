import { memo, useMemo } from 'react';
import styles from '../Calendar.module.css';
import { percentOf, type Span, ticksOf } from '../lib/span';
import { dayName } from '../lib/words';

/** Days and hours, in the zone that is named at the left. */
export const Axis = memo(function Axis({ span, now }: { span: Span; now: number }) {
  const ticks = useMemo(() => ticksOf(span), [span]);
  const { days, zone } = span;
  return (
    <div className={styles.head}>
      <div className={styles.corner}>{zone}</div>
      <div className={styles.axis}>
        {days.slice(0, -1).map((day, index) => {
          const end = days[index + 1] ?? day;
          const width = percentOf(span, end) - percentOf(span, day);
          const today = day <= now && now < end;
          return (
            <div
              key={day}
              className={styles.day}
              data-today={today || undefined}
              style={{ left: `${percentOf(span, day)}%`, width: `${width}%` }}
            >
              {days.length > 15 ? dayName(day, zone).split(' ')[1] : dayName(day, zone)}
            </div>
          );
        })}
        {ticks.map(({ at, label }) => (
          <span key={at} className={styles.tick} style={{ left: `${percentOf(span, at)}%` }}>
            {label}
          </span>
        ))}
      </div>
    </div>
  );
});
