import { createContext, useContext } from 'react';
import styles from './Job.module.css';

/** The colours of tasks, the same in all graphs and in the table. */
export const TaskColors = createContext<ReadonlyMap<string, string>>(new Map());

/** A context, so that the cells around it are not rendered anew when colours change. */
export function Swatch({ id }: { id: string }) {
  const color = useContext(TaskColors).get(id);
  return <span className={styles.dot} style={{ background: color }} aria-hidden="true" />;
}
