import type { Outline, SearchReport } from '../../../api/types';
import type { GraphProps } from '../graph';

export interface SearchProps extends GraphProps {
  tasks: Outline[];
}

/** What every panel of a search is given. */
export interface PanelProps extends SearchProps {
  report: SearchReport;
}
