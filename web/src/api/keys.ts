/** The keys of the query cache. Ids may be shortened, as in an address that was typed. */

import type { JobFilters } from './types';

/** Words and comparisons, and states. */
export interface TaskFilter {
  q: string;
  state: readonly string[];
}

/** Of which tasks curves are drawn where a job has too many. */
export interface ChosenTasks extends TaskFilter {
  numbers: string;
}

export const keys = {
  jobs: (filters: JobFilters) => ['jobs', filters] as const,
  queue: () => ['queue'] as const,
  facets: () => ['jobs', 'facets'] as const,
  views: () => ['views'] as const,
  job: (job: string) => ['job', job] as const,
  tasks: (job: string) => ['tasks', job] as const,
  rows: (job: string) => ['rows', job] as const,
  gpus: (job: string) => ['gpus', job] as const,
  order: (job: string, filter: TaskFilter, sort: string) => ['order', job, filter, sort] as const,
  starts: (job: string) => ['order', job, 'starts'] as const,
  measured: (job: string, columns: readonly string[], numbers: string) =>
    ['order', job, 'measured', columns, numbers] as const,
  trial: (job: string, trial: number) => ['order', job, 'trial', trial] as const,
  parts: (job: string) => ['parts', job] as const,
  search: (job: string) => ['search', job] as const,
  objective: (job: string) => ['objective', job] as const,
  metricNames: (job: string) => ['metric-names', job] as const,
  jobCurves: (job: string, metrics: readonly string[], points: number, chosen: ChosenTasks | null, times = false) =>
    ['job-curves', job, metrics, points, chosen, times] as const,
  task: (task: string) => ['task', task] as const,
  taskCurves: (task: string, metrics: readonly string[] | null, points: number, attempt: number | null) =>
    ['task-curves', task, metrics, points, attempt] as const,
  files: (task: string, path: string) => ['files', task, path] as const,
  filePreview: (task: string, path: string, offset: number) => ['file', task, path, offset] as const,
  images: (task: string) => ['images', task] as const,
  code: (job: string) => ['code', job] as const,
  codeFile: (job: string, path: string) => ['code', job, path] as const,
  diff: (job: string, other: string) => ['diff', job, other] as const,
  nodes: () => ['nodes'] as const,
  load: () => ['load'] as const,
  loadHistory: (backend: string, node: string, minutes: number) => ['load-history', backend, node, minutes] as const,
  layout: (page: string) => ['layout', page] as const,
  hosts: () => ['hosts'] as const,
  health: () => ['health'] as const,
  backends: () => ['backends'] as const,
  profiles: () => ['profiles'] as const,
  version: () => ['version'] as const,
  samples: () => ['samples'] as const,
  violations: () => ['violations'] as const,
  openViolations: () => ['violations', 'open'] as const,
  exemptions: () => ['violations', 'exempt'] as const,
  /** The first words are those that the server sends when something has changed. */
  devices: () => ['devices'] as const,
  reservations: (since: number, until: number) => ['reservations', since, until] as const,
  anyReservation: () => ['reservations', 'any'] as const,
  freeSlots: (query: object) => ['reservations', 'free', query] as const,
  allowedHours: (since: number, until: number) => ['rules', 'hours', since, until] as const,
  usage: (by: string, since: number, mine: boolean) => ['reservations', 'usage', by, since, mine] as const,
  ownUse: (since: number) => ['reservations', 'use', since] as const,
  ownQuota: (at: number) => ['quotas', 'mine', at] as const,
  overview: (weeks: number) => ['reservations', 'overview', weeks] as const,
  me: () => ['me'] as const,
  methods: () => ['methods'] as const,
  sessions: () => ['sessions'] as const,
  tokens: () => ['tokens'] as const,
  notices: () => ['notices'] as const,
  noticeChoices: () => ['notice-choices'] as const,
  team: () => ['team'] as const,
  accounts: () => ['accounts'] as const,
  groups: () => ['groups'] as const,
  invites: () => ['invites'] as const,
  rules: () => ['rules'] as const,
  trials: (query: object) => ['rules', 'try', query] as const,
  quotas: () => ['quotas'] as const,
  quotaLeft: () => ['quotas', 'left'] as const,
  audit: (who: string, act: string) => ['audit', who, act] as const,
};

/** Whether an id is the one of a key, which may be its beginning: `3z2` of `3z2agxp7`, `3z2-4` of `3z2agxp7-4`. */
export function means(key: unknown, id: string): boolean {
  if (typeof key !== 'string') return false;
  if (key === id) return true;
  const [keyJob = '', keyNumber] = key.split('-');
  const [job = '', number] = id.split('-');
  return keyJob !== '' && job.startsWith(keyJob) && keyNumber === number;
}
