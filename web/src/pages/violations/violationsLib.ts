/** Violations in words. Pure. */

import type { Violation, ViolationStep } from '../../api/types';

const ACTS: Record<ViolationStep['act'], string> = {
  terminal: 'Message on their terminals',
  page: 'Notices in the page',
  mail: 'Mail to them',
  admins: 'Notice to admins',
  hook: 'Hook',
  term: 'SIGTERM',
  kill: 'SIGKILL',
};

const OUTCOMES: Record<NonNullable<Violation['outcome']>, string> = {
  left: 'It left',
  ended: 'It was ended',
  exempt: 'It was exempted',
  over: 'The reservation is over',
};

export const actText = (act: ViolationStep['act']): string => ACTS[act];

export const outcomeText = ({ outcome }: Pick<Violation, 'outcome'>): string =>
  outcome ? OUTCOMES[outcome] : 'Goes on';

export function whoText({ account, unix_name: unix }: Pick<Violation, 'account' | 'unix_name'>): string {
  if (account && unix && account !== unix) return `${account} (${unix})`;
  return account ?? unix ?? 'owner not known';
}

export function whyText({ kind, owner }: Pick<Violation, 'kind' | 'owner'>): string {
  if (kind === 'reserved') return owner ? `reserved by ${owner}` : 'maintenance';
  return kind === 'unreserved' ? 'nobody has reserved it for them' : 'an access rule closes it to them now';
}

/** What was done, each step once: what was repeated has a number. */
export function trailOf(steps: readonly ViolationStep[]): (ViolationStep & { times: number })[] {
  const found: (ViolationStep & { times: number })[] = [];
  for (const step of steps) {
    const before = found.find((one) => one.act === step.act && one.ok === step.ok && one.detail === step.detail);
    if (before) before.times += 1;
    else found.push({ ...step, times: 1 });
  }
  return found;
}

/** Which violation a process of the table of processes is. */
export function violationOf(open: readonly Violation[], process: { node: string; pid: number }): Violation | undefined {
  return open.find(({ host, pid }) => host === process.node && pid === process.pid);
}
