/** The words of kinds of notices, in the order in which they are shown. */

import type { NoticeKind } from '../api/types';

export const NOTICE_KINDS: { kind: NoticeKind; label: string }[] = [
  { kind: 'ended', label: 'A job has ended' },
  { kind: 'failed', label: 'Tasks fail' },
  { kind: 'attention', label: 'A job needs attention' },
  { kind: 'reservation', label: 'A reservation begins, ends or changes' },
  { kind: 'slot', label: 'A slot that I wait for is free' },
  { kind: 'violation', label: 'Somebody uses a GPU that another has reserved' },
];

export function withKind(kinds: readonly NoticeKind[], kind: NoticeKind, on: boolean): NoticeKind[] {
  const others = kinds.filter((one) => one !== kind);
  return on ? [...others, kind] : others;
}
