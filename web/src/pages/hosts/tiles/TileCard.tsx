import { useIntersection } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { Node } from '../../../api/types';
import { isUsable, ofKind } from '../nodes';
import { nodesNow, tileNow } from './figures';
import { TileChart } from './TileChart';
import { TileNodes } from './TileNodes';
import styles from './Tiles.module.css';
import { type HostTile, isOfGpus, NAMES, subjectText } from './tiles';

interface Props {
  tile: HostTile;
  nodes: readonly Node[];
  minutes: number;
  /** While tiles are arranged. */
  before?: ReactNode;
  after?: ReactNode;
}

/** Of several GPUs, what the figure in the head is of them. */
const OF_SEVERAL = { gpu_load: 'mean', temperature: 'up to' } as Partial<Record<HostTile['kind'], string>>;

/** One tile: a figure now, and below it how it was; of all nodes, how each is. Only what is in sight is drawn. */
export function TileCard({ tile, nodes, minutes, before, after }: Props) {
  const { ref, entry } = useIntersection({ rootMargin: '300px' });
  const node = nodes.find(({ backend, name }) => backend === tile.backend && name === tile.node);
  const name = NAMES[tile.kind];
  const now = tile.node === null ? nodesNow(tile.kind, nodes) : node && tileNow(tile, node);
  const gpus = tile.node === null ? 2 : ofKind(node?.devices ?? [], 'gpu').length;
  const word =
    gpus > 1 && now?.part != null && tile.device === null && isOfGpus(tile.kind) ? OF_SEVERAL[tile.kind] : undefined;
  return (
    <section ref={ref} className={`app-panel ${styles.tile}`} aria-label={`${name}: ${subjectText(tile)}`}>
      <header className={styles.head} data-handle={before !== undefined || undefined}>
        {before}
        <h3>
          {name} <span className={styles.subject}>{subjectText(tile)}</span>
        </h3>
        {node && !isUsable(node) && (
          <span className={styles.state} title={node.reason ?? undefined}>
            {node.state}
          </span>
        )}
        {now && (
          <span className={styles.now}>
            {word && <small>{word} </small>}
            {now.text}
          </span>
        )}
        {after}
      </header>
      <div className={styles.body}>
        {entry?.isIntersecting && <Body tile={tile} node={node} nodes={nodes} minutes={minutes} />}
      </div>
    </section>
  );
}

function Body({ tile, node, nodes, minutes }: Props & { node: Node | undefined }) {
  if (tile.node === null) return <TileNodes kind={tile.kind} nodes={nodes} />;
  if (node) return <TileChart tile={tile} node={node} minutes={minutes} />;
  return <div className={styles.empty}>No backend reports {tile.node} now</div>;
}
