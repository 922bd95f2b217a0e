import { useBackends } from '../api/system';
import { clock } from '../lib/format';
import { IconAlert } from './icons';
import styles from './Waits.module.css';

interface Props {
  backend: string | null | undefined;
  /** When it last said what is shown. */
  seenAt?: string | null | undefined;
}

/** That what is shown may be old: its backend does not answer. Nothing while all is well. */
export function BackendSilence({ backend, seenAt }: Props) {
  const found = useBackends().data?.find(({ name }) => name === backend);
  if (!found || found.state === 'ok') return null;
  const at = seenAt ?? found.since;
  return (
    <p className={styles.silence} role="status" title={found.state}>
      <IconAlert size={15} />
      <span>
        {at ? `As of ${clock(at)}; ` : ''}
        {found.name} does not answer
      </span>
    </p>
  );
}
