/** A list of layers, as a search chooses it, in short: `conv 32 · pool · dense 64`. */

export interface Layer {
  /** `conv 32` */
  text: string;
  /** All its members: `type conv, width 32, dropout 0.2`. */
  title: string;
  /** The earlier layer that is added to it. */
  skip: number | null;
}

type Members = Record<string, unknown>;

/** The layers of a value; null where it is none, as nearly always. */
export function layersOf(value: unknown): Layer[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  if (!value.every((one) => one !== null && typeof one === 'object' && !Array.isArray(one))) return null;
  return (value as Members[]).map((layer, at) => {
    const members = Object.entries(layer).filter(([name]) => name !== 'skip');
    const kind = members.find(([, member]) => typeof member === 'string')?.[1];
    const size = members.find(([, member]) => typeof member === 'number')?.[1];
    const text = [kind, size].filter((part) => part !== undefined).join(' ') || 'layer';
    const { skip } = layer;
    const title = members.map(([name, member]) => `${name} ${plain(member)}`).join(', ');
    return { text, title, skip: typeof skip === 'number' && skip >= 0 && skip < at ? skip : null };
  });
}

function plain(member: unknown): string {
  return typeof member === 'string' ? member : (JSON.stringify(member) ?? '');
}

/** `conv 32 ×2 · pool · dense 64 +1`: equal neighbours together, and after + the number of a layer that is added. */
export function architectureText(layers: readonly Layer[]): string {
  const parts: { text: string; count: number }[] = [];
  for (const { text, skip } of layers) {
    const whole = skip === null ? text : `${text} +${skip + 1}`;
    const last = parts.at(-1);
    if (last?.text === whole) last.count += 1;
    else parts.push({ text: whole, count: 1 });
  }
  return parts.map(({ text, count }) => (count > 1 ? `${text} ×${count}` : text)).join(' · ');
}
