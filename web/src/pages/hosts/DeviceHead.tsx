import styles from './Hosts.module.css';

/** `GPUs  3 free · 5 in use` */
export function DeviceHead({ name, used, total }: { name: string; used: number; total: number }) {
  return (
    <h4 className={styles.kind}>
      {name}
      <span>
        {total - used} free · {used} in use
      </span>
    </h4>
  );
}
