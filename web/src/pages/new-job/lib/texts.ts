/** From what is written in a form to what is sent: what was left empty is left out. */

export function numberText(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}

/** A text that is no number is sent as it is, and the server reports what is wrong with it. */
export function num(name: string, written: string): Record<string, number | string> {
  const trimmed = written.trim();
  if (trimmed === '') return {};
  return { [name]: Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed };
}

export function text(name: string, written: string): Record<string, string> {
  return written.trim() === '' ? {} : { [name]: written.trim() };
}

export function given(name: string, value: object): Record<string, object> {
  return Object.keys(value).length === 0 ? {} : { [name]: value };
}
