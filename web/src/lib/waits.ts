/** The server's reason why something waits, as a sentence of the page. */

import type { Waits } from '../api/types';

export function waitText({ reason }: Pick<Waits, 'reason'>): string {
  return reason.charAt(0).toUpperCase() + reason.slice(1);
}

export const NEVER_HINT =
  'Change its limits, or release it if it was held on the cluster itself; otherwise stop it and start from this job with other resources. The people who run the cluster can tell you more.';
