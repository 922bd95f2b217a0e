import { Link } from 'wouter';
import { useDiff } from '../../../api/files';
import type { FileDiff } from '../../../api/types';
import { plural } from '../../../lib/format';
import { Loaded } from '../../../parts/Page';
import styles from './Code.module.css';
import { diffLines, valueText } from './facts';

/** What became different from another job to this one. */
export function DiffView({ job, other }: { job: string; other: string }) {
  const diff = useDiff(job, other);
  return (
    <Loaded query={diff} what="comparison">
      {({ before, fields, files, same, more }) => (
        <section className="app-panel" aria-label="Differences">
          <h2 className="app-panel-title">
            From{' '}
            <Link className="app-link app-mono" href={`/jobs/${before}`}>
              {before}
            </Link>{' '}
            to this job
          </h2>
          {fields.length > 0 && (
            <div className="app-scroll">
              <table className="app-table">
                <thead>
                  <tr>
                    <th>Setting</th>
                    <th>There</th>
                    <th>Here</th>
                  </tr>
                </thead>
                <tbody>
                  {fields.map((field) => (
                    <tr key={field.name}>
                      <td>{field.name}</td>
                      <td className="app-mono app-wrap-anywhere">{valueText(field.before)}</td>
                      <td className="app-mono app-wrap-anywhere">{valueText(field.after)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
          {files.map((file) => (
            <FileDifference key={file.path} file={file} />
          ))}
          <p className={styles.dim}>
            {files.length === 0
              ? `The code is the same (${plural(same, 'file')}).`
              : same > 0 && `${plural(same, 'other file is', 'other files are')} the same.`}
            {more && ' There are too many files to compare all of them.'}
          </p>
        </section>
      )}
    </Loaded>
  );
}

function FileDifference({ file: { path, change, diff, why } }: { file: FileDiff }) {
  return (
    <div className={styles.difference}>
      <div className={styles.head}>
        <h3 className="app-panel-title app-mono">{path}</h3>
        <small>{change}</small>
      </div>
      {diff ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section className={styles.text} tabIndex={0} aria-label={`Differences in ${path}`}>
          <pre className={styles.diff}>
            {diffLines(diff).map(({ kind, text }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names
              <span key={i} data-kind={kind}>
                {text}
                {'\n'}
              </span>
            ))}
          </pre>
        </section>
      ) : (
        <p className={styles.dim}>{why}</p>
      )}
    </div>
  );
}
