import type { ReactNode } from 'react';

interface Props {
  label: string;
  /** The heads; an empty one is that of the buttons. */
  columns: readonly string[];
  /** The rows: `data-label` names a figure, `data-wide` takes a line, where there is no room for columns. */
  children: ReactNode;
}

/** A table whose rows become cards on a narrow screen. */
export function CardTable({ label, columns, children }: Props) {
  return (
    <section className="app-panel app-scroll" aria-label={label}>
      <table className="app-table app-cards">
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col" aria-label={name ? undefined : 'Actions'}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
