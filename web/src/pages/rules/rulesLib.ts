import type { AccessRule, AccessRuleRequest, Quota, QuotaRequest, QuotaUse } from '../../api/types';
import { fieldText, fromField } from '../../lib/zone';
import { cellsOf, fits, windowsOf } from './week';

/** A rule as a form has it. */
export interface RuleDraft {
  name: string;
  effect: 'allow' | 'deny';
  acts: string[];
  accounts: string[];
  groups: string[];
  backends: string[];
  hosts: string[];
  devices: string[];
  partitions: string[];
  /** Null: hours that the grid cannot show stay as they are. */
  cells: readonly boolean[] | null;
  zone: string;
  since: string;
  until: string;
}

export function draftOf(rule: AccessRule | undefined, zone: string): RuleDraft {
  const own = rule?.zone ?? zone;
  const { who = {}, what = {}, windows = [] } = rule ?? {};
  const field = (at: string | null | undefined) => (at ? fieldText(Date.parse(at), own) : '');
  return {
    name: rule?.name ?? '',
    effect: rule?.effect ?? 'deny',
    acts: [...(rule?.acts ?? ['reserve', 'run'])],
    accounts: who.accounts ?? [],
    groups: who.groups ?? [],
    backends: what.backends ?? [],
    hosts: what.hosts ?? [],
    devices: what.devices ?? [],
    partitions: what.partitions ?? [],
    cells: fits(windows) ? cellsOf(windows) : null,
    zone: own,
    since: field(rule?.since),
    until: field(rule?.until),
  };
}

export function requestOf(rule: AccessRule): AccessRuleRequest {
  const { id: _id, sentence: _sentence, by: _by, changed_at: _at, ...request } = rule;
  return request;
}

/** What is sent for a draft; `rule` is what it was. */
export function ruleOf(draft: RuleDraft, rule: AccessRule | undefined): AccessRuleRequest {
  const { accounts, groups, backends, hosts, devices, partitions, cells, zone } = draft;
  const moment = (text: string) => {
    const at = fromField(text, zone);
    return at === null ? null : new Date(at).toISOString();
  };
  return {
    name: draft.name.trim(),
    effect: draft.effect,
    acts: draft.acts as ('reserve' | 'run')[],
    who: { accounts, groups },
    what: { backends, hosts, devices, partitions },
    windows: cells ? windowsOf(cells) : (rule?.windows ?? []),
    zone,
    since: moment(draft.since),
    until: moment(draft.until),
    active: rule?.active ?? true,
  };
}

export const LIMITS = {
  gpu_hours_week: { name: 'GPU-hours a week', whole: false },
  devices_at_once: { name: 'GPUs at once', whole: true },
  open_reservations: { name: 'Open reservations', whole: true },
  longest_hours: { name: 'Longest, h', whole: false },
  ahead_days: { name: 'Days ahead', whole: false },
  near_hours: { name: 'Not counted: begins within, h', whole: false },
} as const;
export type LimitName = keyof typeof LIMITS;
export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[];

export function whose({ kind, subject }: Pick<QuotaRequest, 'kind' | 'subject'>): string {
  if (kind === 'everyone') return 'Everyone';
  return kind === 'group' ? `Each member of ${subject}` : (subject ?? '');
}

export function limitText(quota: Quota, name: LimitName): string {
  return quota[name] == null ? '–' : String(quota[name]);
}

/** `Left: 94 of 100 GPU-hours a week`; a limit of each reservation has no rest. */
export function leftText({ field, limit, left, used }: QuotaUse): string {
  const name = LIMITS[field].name.replace(', h', ' reservation, h').replace('Days', 'days');
  const figure = (value: number) => String(Math.round(value * 10) / 10);
  return used == null ? `${name}: ${figure(limit)}` : `${name}: ${figure(left)} of ${figure(limit)} left`;
}
