import { Link } from 'wouter';
import { plural } from '../../lib/format';
import { IconAlert } from '../../parts/icons';
import styles from '../../parts/Waits.module.css';

/** Jobs that fail for a reason of their own, such as a folder that cannot be read. The server itself is well. */
export function SetAside({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <section className={`app-panel ${styles.panel}`} data-never aria-label="Jobs set aside">
      <IconAlert className={styles.icon} />
      <div className={styles.words}>
        Paddock cannot go on with {plural(count, 'job')} at the moment; the others go on. Paddock tries again by itself.{' '}
        <Link className="app-link" data-inline href="/">
          The list of jobs
        </Link>{' '}
        marks {count === 1 ? 'it; its page says' : 'them; their pages say'} why.
      </div>
    </section>
  );
}
