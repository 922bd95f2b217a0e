import { IconPause } from './icons';
import styles from './Waits.module.css';

/** That a job begins no further task for now. */
export function HeldBadge() {
  return (
    <span className={styles.held} title="It starts no further task until it is released">
      <IconPause size={12} /> held
    </span>
  );
}
