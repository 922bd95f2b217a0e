import styles from './Hosts.module.css';

interface Props {
  name: string;
  /** 0 to 1; null where it is not known. */
  part: number | null;
  text: string;
  hint?: string;
}

/** How full something is: the text says it, the bar shows it. */
export function Meter({ name, part, text, hint }: Props) {
  return (
    <div title={hint}>
      <div className={styles.label}>
        <span>{name}</span>
        <span>{text}</span>
      </div>
      <div className={styles.track}>
        {part !== null && <div className={styles.fill} style={{ width: `${part * 100}%` }} />}
      </div>
    </div>
  );
}
