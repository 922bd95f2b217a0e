import type { Task } from '../api/types';
import { valueText } from '../lib/params';
import styles from './ParamChips.module.css';
import { ParamValue } from './ParamValue';

interface Props {
  params: Task['params'];
  /** It has no parameters: it runs when all others have finished. */
  reduces?: boolean | undefined;
  /** Which, and in which order; all when not given. */
  names?: readonly string[];
}

/** A configuration: name and value of each hyperparameter. */
export function ParamChips({ params, reduces, names }: Props) {
  const shown = (names ?? Object.keys(params)).filter((name) => name in params);
  return (
    <div className={styles.chips}>
      {reduces && (
        <span className={styles.chip} title="It runs when all others have finished">
          <span className={styles.value}>reduce</span>
        </span>
      )}
      {shown.map((name) => (
        <span key={name} className={styles.chip} title={`${name} = ${valueText(params[name])}`}>
          <span className={styles.name}>{name}</span>
          <span className={styles.value}>
            <ParamValue value={params[name]} whole />
          </span>
        </span>
      ))}
    </div>
  );
}
