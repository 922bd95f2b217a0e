/** What the dialog of a reservation has, and what the server gets of it. */

import type { Reservation, ReservationPatch, ReservationRequest } from '../../../api/types';
import { addDays, fieldText, fromField } from '../../../lib/zone';

export interface Form {
  title: string;
  description: string;
  devices: string[];
  /** As the fields have them, in the person's zone. */
  from: string;
  until: string;
  guests: string[];
  groups: string[];
  weekly: boolean;
  repeatUntil: string;
  /** Whose it is to be, if not one's own. */
  owner: string | null;
  maintenance: boolean;
}

export interface Wanted {
  devices: string[];
  from: number;
  until: number;
}

export function newForm({ devices, from, until }: Wanted, zone: string): Form {
  return {
    title: '',
    description: '',
    devices,
    from: fieldText(from, zone),
    until: fieldText(until, zone),
    guests: [],
    groups: [],
    weekly: false,
    repeatUntil: fieldText(addDays(from, 28, zone), zone).slice(0, 10),
    owner: null,
    maintenance: false,
  };
}

export function formOf(reservation: Reservation, wanted: Wanted | null, zone: string): Form {
  const { devices, starts_at, ends_at, title = '', description = '', guests = [], guest_groups = [] } = reservation;
  const times = wanted ?? { devices, from: Date.parse(starts_at), until: Date.parse(ends_at) };
  return { ...newForm(times, zone), title, description, guests, groups: guest_groups };
}

/** The times that the fields mean. A start that has passed is now. */
export function timesOf(form: Form, zone: string): { from: number | null; until: number | null } {
  return { from: fromField(form.from, zone), until: fromField(form.until, zone) };
}

/** What is missing, in words; empty: nothing. */
export function missing(form: Form, zone: string, now: number): string {
  const { from, until } = timesOf(form, zone);
  if (form.devices.length === 0) return 'Choose at least one GPU.';
  if (from === null || until === null) return 'Say from when until when.';
  if (until <= from) return 'It must end after it begins.';
  if (until <= now) return 'That time is over.';
  return '';
}

const text = (at: number) => new Date(at).toISOString();

export function requestOf(form: Form, zone: string, now: number): ReservationRequest {
  const { from, until } = timesOf(form, zone);
  const repeat = form.weekly ? fromField(form.repeatUntil, zone) : null;
  return {
    title: form.title,
    description: form.description,
    devices: form.devices,
    starts_at: from === null || from <= now ? null : text(from), // null: now
    ends_at: until === null ? null : text(until),
    guests: form.maintenance ? [] : form.guests,
    guest_groups: form.maintenance ? [] : form.groups,
    repeat_until: repeat === null ? null : text(addDays(repeat, 1, zone)), // the day that is named, too
    skip_conflicts: false,
    owner: form.maintenance ? null : form.owner,
    kind: form.maintenance ? 'maintenance' : 'reservation',
    notify_if_free: false,
  };
}

/** What has changed. Of one that has begun only some may. */
export function patchOf(form: Form, before: Reservation, zone: string): ReservationPatch {
  const old = formOf(before, null, zone);
  const { from, until } = timesOf(form, zone);
  const patch: ReservationPatch = { version: before.version };
  if (form.title !== old.title) patch.title = form.title;
  if (form.description !== old.description) patch.description = form.description;
  if (!sameOnes(form.devices, old.devices)) patch.devices = form.devices;
  if (form.from !== old.from && from !== null) patch.starts_at = text(from);
  if (form.until !== old.until && until !== null) patch.ends_at = text(until);
  if (!sameOnes(form.guests, old.guests)) patch.guests = form.guests;
  if (!sameOnes(form.groups, old.groups)) patch.guest_groups = form.groups;
  return patch;
}

/** In whatever order. */
export function sameOnes(some: readonly string[], others: readonly string[]): boolean {
  const known = new Set(others);
  return some.length === known.size && some.every((one) => known.has(one));
}

export type Phase = 'to come' | 'running' | 'over';

export function phaseOf({ starts_at, ends_at, cancelled_at }: Reservation, now: number): Phase {
  if (cancelled_at || Date.parse(ends_at) <= now) return 'over';
  return Date.parse(starts_at) <= now ? 'running' : 'to come';
}
