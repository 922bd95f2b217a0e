import type { CSSProperties } from 'react';
import { useMe } from '../api/me';
import { hueOf, initials } from '../lib/people';
import { IconLock } from './icons';
import styles from './Person.module.css';

interface Props {
  name: string;
  fullName?: string;
  size?: number;
}

/** The letters of somebody's name in a colour of their own. The name itself stands beside it, or is its label. */
export function Avatar({ name, fullName, size = 20 }: Props) {
  const style = { '--hue': hueOf(name), width: size, height: size, fontSize: size * 0.42 } as CSSProperties;
  return <span className={styles.avatar} style={style} aria-hidden="true" data-letters={initials(name, fullName)} />;
}

/** Whose something is: a name, with an avatar where there are several people. */
export function Owner({ name, size = 18 }: Pick<Props, 'name' | 'size'>) {
  const { team } = useMe();
  if (!team) return <span>{name}</span>;
  return (
    <span className={styles.person} title={name}>
      <Avatar name={name} size={size} />
      <span>{name}</span>
    </span>
  );
}

/** Only its owner and admins see it. */
export function PrivateMark() {
  return (
    <span className={styles.private} role="img" aria-label="private" title="Private: only its owner and admins see it">
      <IconLock size={14} />
    </span>
  );
}
