import type { ReactNode } from 'react';
import styles from './Profile.module.css';

/** A part of the profile under its title. */
export function Panel({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className={`app-panel ${styles.panel}`} aria-label={title}>
      <div className={styles.head}>
        <h2 className="app-panel-title">{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}
