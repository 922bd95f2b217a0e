/** Tables and pictures that a person keeps. */

export type Cell = string | number | boolean | null | undefined;

export function csv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

function field(value: Cell): string {
  const text = value === null || value === undefined ? '' : typeof value === 'string' ? plain(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Spreadsheets take text that begins so for a formula, and would carry it out. Numbers stay numbers. */
function plain(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
}

export function save(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = fileName(name);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function saveCsv(rows: readonly (readonly Cell[])[], name: string): void {
  save(new Blob([csv(rows)], { type: 'text/csv;charset=utf-8' }), name);
}

export function fileName(text: string): string {
  return text.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|-+$/g, '') || 'paddock';
}
