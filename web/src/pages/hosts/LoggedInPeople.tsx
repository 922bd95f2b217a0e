import { Title } from '@mantine/core';
import { useMemo } from 'react';
import type { Node } from '../../api/types';
import { clock, plural } from '../../lib/format';
import page from './Hosts.module.css';
import styles from './LoggedInPeople.module.css';
import { type LoggedIn, loggedIn } from './processes';

/** Who is logged in on which node. */
export function LoggedInPeople({ nodes }: { nodes: readonly Node[] }) {
  const people = useMemo(() => loggedIn(nodes), [nodes]);
  if (people.length === 0) return null;
  return (
    <section className={page.group} aria-label="Logged in">
      <div className={page.groupHead}>
        <Title order={2}>Logged in</Title>
        <span>{plural(people.length, 'person', 'people')}</span>
      </div>
      <ul className={`app-panel ${styles.people}`}>
        {people.map(({ user, places }) => (
          <li key={user}>
            <b>{user}</b>
            <span className={styles.places}>
              {places.map((place) => (
                <span key={place.node} title={place.terminals.join(', ')}>
                  {placeText(place)}
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function placeText({ node, terminals, since }: LoggedIn['places'][number]): string {
  const times = terminals.length > 1 ? ` ×${terminals.length}` : '';
  return `${node}${times}${since === null ? '' : ` since ${clock(since * 1000)}`}`;
}
