import type { JobDetail } from '../../api/types';
import type { Highlight } from '../../lib/highlight';
import type { Sweep } from './useSweep';
import type { SetView, View } from './view';

/** What each graph of a job is given. */
export interface GraphProps {
  job: JobDetail;
  sweep: Sweep;
  view: View;
  setView: SetView;
  highlight: Highlight;
  /** A click on a configuration. */
  onPick: (task: string) => void;
}
