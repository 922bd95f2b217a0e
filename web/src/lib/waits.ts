/** Why something waits, as the server says it, as a sentence of the page. */

import type { Waits } from '../api/types';

export function waitText({ reason }: Pick<Waits, 'reason'>): string {
  return reason.charAt(0).toUpperCase() + reason.slice(1);
}

export const NEVER_HINT =
  'Other limits may help, or Release where it was held on the cluster itself; else stop it and start from this job with other resources. Who runs the cluster can tell more.';
