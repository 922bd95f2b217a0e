import { describe, expect, it } from 'vitest';
import { addDays, DAY, dayText, fieldText, fromField, HOUR, hourOf, startOfDay, weekday } from './zone';

const at = (text: string) => Date.parse(text);

describe('wall clocks', () => {
  it('finds midnight in the zone', () => {
    expect(startOfDay(at('2026-11-18T23:30:00Z'), 'Europe/Rome')).toBe(at('2026-11-18T23:00:00Z'));
    expect(startOfDay(at('2026-11-18T03:00:00Z'), 'America/New_York')).toBe(at('2026-11-17T05:00:00Z'));
    expect(startOfDay(at('2026-11-18T03:00:00Z'), 'Asia/Kathmandu')).toBe(at('2026-11-17T18:15:00Z'));
  });

  it('counts days of 23 and 25 hours', () => {
    const spring = at('2026-03-28T23:00:00Z'); // midnight of the 29th in Rome
    expect(addDays(spring, 1, 'Europe/Rome') - spring).toBe(23 * HOUR);
    const autumn = at('2026-10-24T22:00:00Z');
    expect(addDays(autumn, 1, 'Europe/Rome') - autumn).toBe(25 * HOUR);
    expect(addDays(autumn, -1, 'Europe/Rome')).toBe(autumn - DAY);
  });

  it('reads what it writes, in every zone and hour', () => {
    for (const zone of ['UTC', 'Europe/Rome', 'Australia/Lord_Howe', 'America/St_Johns', 'Pacific/Kiritimati']) {
      for (let hour = 0; hour < 24 * 366; hour += 7) {
        const text = fieldText(at('2026-01-01T00:00:00Z') + hour * HOUR, zone);
        const read = fromField(text, zone);
        expect(read && fieldText(read, zone)).toBe(text);
      }
    }
  });

  it('takes the first of an hour that comes twice, and goes on after one that is left out', () => {
    expect(fromField('2026-10-25T02:30', 'Europe/Rome')).toBe(at('2026-10-25T00:30:00Z'));
    expect(fromField('2026-03-29T02:30', 'Europe/Rome')).toBe(at('2026-03-29T01:30:00Z'));
  });

  it('knows the day and the hour', () => {
    expect(weekday(at('2026-11-15T23:30:00Z'), 'UTC')).toBe(6);
    expect(weekday(at('2026-11-15T23:30:00Z'), 'Europe/Rome')).toBe(0);
    expect(hourOf(at('2026-11-15T23:30:00Z'), 'Europe/Rome')).toBe(0.5);
    expect(dayText(at('2026-11-15T23:30:00Z'), 'Europe/Rome')).toBe('2026-11-16');
    expect(fromField('2026-11-16', 'Europe/Rome')).toBe(at('2026-11-15T23:00:00Z'));
  });

  it('refuses what is no date', () => {
    for (const text of ['', 'tomorrow', '2026-13-01T00:00', '2026-1-1']) expect(fromField(text, 'UTC')).toBeNull();
  });
});
