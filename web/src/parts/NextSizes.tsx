import { Link } from 'wouter';
import type { SizeChange } from '../api/types';
import { changeText } from '../lib/gpuSteps';
import { CardTable } from './CardTable';

/** Which trainings the policy would give other numbers of GPUs. */
export function NextSizes({ changes }: { changes: readonly SizeChange[] }) {
  return (
    <CardTable label="What the policy would change next" columns={['Task', 'GPUs', 'When', 'Why']}>
      {changes.map(({ task, now, to, why, begun }) => (
        <tr key={task}>
          <td>
            <Link className="app-link app-mono" href={`/tasks/${task}`}>
              {task}
            </Link>
          </td>
          <td data-label="GPUs">{changeText(now, to)}</td>
          <td data-label="When">{begun ? 'under way' : 'next, if nothing else changes'}</td>
          <td data-wide data-label="Why">
            {why}
          </td>
        </tr>
      ))}
    </CardTable>
  );
}
