import { useSearchReport } from '../../api/search';
import { share } from '../../lib/format';
import styles from './Job.module.css';

interface Props {
  job: string;
  metric: string;
  /** The parameters that can be chosen. */
  names: readonly string[];
  chosen: string;
  onChoose: (name: string) => void;
}

/** How much each parameter matters, as everywhere: the server says. A click shows one. */
export function Matters({ job, metric, names, chosen, onChoose }: Props) {
  const { data } = useSearchReport(job);
  const parts = Object.entries(data?.importance ?? {});
  if (parts.length < 2) return null;
  return (
    <div className={styles.matters}>
      <div
        className={styles.figureName}
        title={`The share of each parameter in what makes ${metric} differ, over all configurations`}
      >
        What matters for {metric}
      </div>
      {parts.map(([name, part]) => {
        const param = paramOf(name, names);
        return (
          <button
            key={name}
            type="button"
            className={styles.matter}
            aria-pressed={param === chosen}
            onClick={() => param && onChoose(param)}
          >
            <span className={styles.matterName} title={name}>
              {name}
            </span>
            <span>{share(part)}</span>
            <span className={styles.matterBar}>
              <span style={{ width: `${part * 100}%` }} />
            </span>
          </button>
        );
      })}
    </div>
  );
}

/** `layers` of `layers.0.width`: a part of a parameter is shown with the whole of it. */
export function paramOf(name: string, names: readonly string[]): string | undefined {
  return names.includes(name) ? name : names.find((one) => name.startsWith(`${one}.`));
}
