import type { Task } from '../api/types';
import { valueText } from '../lib/params';
import styles from './ParamChips.module.css';

interface Props {
  params: Task['params'];
  /** Which, and in which order; all when not given. */
  names?: readonly string[];
}

/** A configuration: name and value of each hyperparameter. */
export function ParamChips({ params, names }: Props) {
  const shown = (names ?? Object.keys(params)).filter((name) => name in params);
  return (
    <div className={styles.chips}>
      {shown.map((name) => (
        <span key={name} className={styles.chip} title={`${name} = ${valueText(params[name])}`}>
          <span className={styles.name}>{name}</span>
          <span className={styles.value}>{valueText(params[name])}</span>
        </span>
      ))}
    </div>
  );
}
