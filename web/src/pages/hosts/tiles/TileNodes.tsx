import { memo } from 'react';
import type { Device, Node } from '../../../api/types';
import { isUsable, isUsed, ofKind } from '../nodes';
import { gpusNow, nodeNow, shortText } from './figures';
import styles from './Tiles.module.css';
import { isOfGpus, type Kind, NAMES } from './tiles';

/** All nodes as they are now, each with a box for every GPU, or with a bar. */
export function TileNodes({ kind, nodes }: { kind: Kind; nodes: readonly Node[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.scroll} tabIndex={0} aria-label={`${NAMES[kind]} of each node`}>
      <ul className={styles.nodes}>
        {nodes.map((node) => (
          <NodeNow key={`${node.backend} ${node.name}`} kind={kind} node={node} />
        ))}
      </ul>
    </section>
  );
}

const NodeNow = memo(function NodeNow({ kind, node }: { kind: Kind; node: Node }) {
  const { text, part } = nodeNow(kind, node);
  const usable = isUsable(node);
  const gpus = isOfGpus(kind) ? ofKind(node.devices ?? [], 'gpu') : [];
  const about = usable ? text : [node.state, node.reason].filter(Boolean).join(': ');
  return (
    <li data-off={!usable || undefined} title={`${node.name}: ${about}`}>
      <div className={styles.nodeHead}>
        <span>{node.name}</span>
        <span>{usable ? shortText(text) : node.state}</span>
      </div>
      {gpus.length > 0 ? (
        <Boxes kind={kind} gpus={gpus} />
      ) : (
        part !== null && (
          <div className={styles.bar}>
            <div style={{ width: `${part * 100}%` }} />
          </div>
        )
      )}
    </li>
  );
});

function Boxes({ kind, gpus }: { kind: Kind; gpus: readonly Device[] }) {
  const each = gpus.map((gpu) => ({ id: gpu.id, used: isUsed(gpu), ...gpusNow(kind, [gpu]) }));
  const label = each
    .map(({ id, text, part, used }) => `GPU ${id}: ${part === null ? (used ? 'in use' : 'not known') : text}`)
    .join(', ');
  return (
    <div className={styles.boxes} role="img" aria-label={label} title={label}>
      {each.map(({ id, part, used }) => (
        <span
          key={id}
          data-unknown={part === null || undefined}
          data-used={(part === null && used) || undefined}
          style={part === null ? undefined : { opacity: 0.12 + 0.88 * part }}
        />
      ))}
    </div>
  );
}
