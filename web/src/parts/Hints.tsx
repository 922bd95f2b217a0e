import type { Hint } from '../api/types';
import styles from './Hints.module.css';
import { IconAdvice, IconAlert } from './icons';

/** Hints that warn of running out of memory; all others only suggest what would be faster. */
export const URGENT: readonly Hint['kind'][] = ['near_gpu_memory', 'near_memory'];

/** What could be changed about a job, in the words of the server. */
export function Hints({ hints }: { hints: readonly Hint[] }) {
  if (hints.length === 0) return null;
  return (
    <ul className={styles.hints} aria-label="Advice">
      {hints.map(({ kind, text }) => {
        const urgent = URGENT.includes(kind);
        const Icon = urgent ? IconAlert : IconAdvice;
        return (
          <li key={kind} data-urgent={urgent || undefined}>
            <Icon size={15} />
            <span>{text}</span>
          </li>
        );
      })}
    </ul>
  );
}
