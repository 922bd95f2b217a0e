/** The words of kinds of notices, in the order in which they are shown. */

import type { NoticeKind } from '../api/types';

export const NOTICE_KINDS: { kind: NoticeKind; label: string }[] = [
  { kind: 'ended', label: 'A job has ended' },
  { kind: 'failed', label: 'Tasks fail' },
  { kind: 'attention', label: 'A job needs attention' },
];

export function withKind(kinds: readonly NoticeKind[], kind: NoticeKind, on: boolean): NoticeKind[] {
  const others = kinds.filter((one) => one !== kind);
  return on ? [...others, kind] : others;
}
