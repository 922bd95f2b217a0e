import { describe, expect, it } from 'vitest';
import type { Reservation } from '../../../api/types';
import { HOUR } from '../../../lib/zone';
import { formOf, missing, newForm, patchOf, phaseOf, requestOf } from './form';

const ZONE = 'Europe/Rome';
const NOON = Date.parse('2026-11-18T12:00:00Z');
const WANTED = { devices: ['abcd'], from: NOON + HOUR, until: NOON + 3 * HOUR };

const made = {
  id: 'r1',
  devices: ['abcd', 'efgh'],
  title: 'ViT',
  starts_at: '2026-11-18T13:00:20Z',
  ends_at: '2026-11-18T15:00:00Z',
  guests: ['bob'],
  version: 3,
} as Reservation;

describe('the form of a reservation', () => {
  it('is in the zone of the person, and is sent in UTC', () => {
    const form = newForm(WANTED, ZONE);
    expect([form.from, form.until]).toEqual(['2026-11-18T14:00', '2026-11-18T16:00']);
    const sent = requestOf(form, ZONE, NOON);
    expect([sent.starts_at, sent.ends_at]).toEqual(['2026-11-18T13:00:00.000Z', '2026-11-18T15:00:00.000Z']);
    expect(sent.repeat_until).toBeNull();
  });

  it('begins now if its start has passed', () => {
    expect(requestOf(newForm(WANTED, ZONE), ZONE, NOON + 2 * HOUR).starts_at).toBeNull();
  });

  it('repeats up to the end of the day that is named', () => {
    const sent = requestOf({ ...newForm(WANTED, ZONE), weekly: true, repeatUntil: '2026-12-02' }, ZONE, NOON);
    expect(sent.repeat_until).toBe('2026-12-02T23:00:00.000Z');
  });

  it('of maintenance has no owner and no guests', () => {
    const form = { ...newForm(WANTED, ZONE), maintenance: true, owner: 'bob', guests: ['bob'] };
    expect(requestOf(form, ZONE, NOON)).toMatchObject({ kind: 'maintenance', owner: null, guests: [] });
  });

  it('says what is missing', () => {
    const form = newForm(WANTED, ZONE);
    expect(missing(form, ZONE, NOON)).toBe('');
    expect(missing({ ...form, devices: [] }, ZONE, NOON)).toContain('GPU');
    expect(missing({ ...form, from: '' }, ZONE, NOON)).toContain('when');
    expect(missing({ ...form, until: form.from }, ZONE, NOON)).toContain('after');
    expect(missing(form, ZONE, NOON + 4 * HOUR)).toContain('over');
  });

  it('sends only what was changed, and never the seconds that a field has not', () => {
    const form = formOf(made, null, ZONE);
    expect(patchOf(form, made, ZONE)).toEqual({ version: 3 });
    const moved = formOf(made, { ...WANTED, devices: made.devices, until: NOON + 5 * HOUR }, ZONE);
    expect(patchOf({ ...moved, title: '' }, made, ZONE)).toEqual({
      version: 3,
      title: '',
      ends_at: '2026-11-18T17:00:00.000Z',
    });
  });

  it('knows what is to come, running and over', () => {
    expect([NOON, NOON + 2 * HOUR, NOON + 3 * HOUR].map((now) => phaseOf(made, now))).toEqual([
      'to come',
      'running',
      'over',
    ]);
    expect(phaseOf({ ...made, cancelled_at: made.starts_at }, NOON)).toBe('over');
  });
});
