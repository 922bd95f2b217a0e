/** Markdown as data: headings, lists, quotes, code, emphasis and links. HTML in it is text like any other. */

export type Inline =
  | { kind: 'text' | 'code'; text: string }
  | { kind: 'strong' | 'em'; parts: Inline[] }
  | { kind: 'link'; href: string; parts: Inline[] };

export type Block =
  | { kind: 'heading'; level: number; parts: Inline[] }
  | { kind: 'paragraph'; parts: Inline[] }
  | { kind: 'code'; text: string }
  | { kind: 'list'; ordered: boolean; items: Inline[][] }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'rule' };

const DEPTH = 5;
const ITEM = /^\s{0,6}(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const RULE = /^\s{0,3}([-*_])(?:\s*\1){2,}\s*$/;
const FENCE = /^\s{0,3}(```+|~~~+)/;
// Bounded, so that no text takes long.
const INLINE =
  /`([^`\n]{1,500})`|\*\*([^\s*](?:[^*]|\*(?!\*)){0,500})\*\*|(?<![\w*])[*_]([^\s*_][^*_\n]{0,500})[*_](?!\w)|!?\[([^\]\n]{0,300})\]\(([^)\s]{1,1000})\)|(https?:\/\/[^\s<>()]{1,1000})/g;

export function parse(text: string, depth = 0): Block[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const blocks: Block[] = [];
  let words: string[] = [];
  const flush = () => {
    if (words.length) blocks.push({ kind: 'paragraph', parts: inline(words.join('\n')) });
    words = [];
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const fence = FENCE.exec(line)?.[1];
    const heading = HEADING.exec(line);
    const item = ITEM.exec(line);
    if (fence) {
      flush();
      const end = lines.findIndex((one, i) => i > at && one.trim().startsWith(fence));
      const last = end < 0 ? lines.length : end;
      blocks.push({ kind: 'code', text: lines.slice(at + 1, last).join('\n') });
      at = last;
    } else if (heading) {
      flush();
      blocks.push({ kind: 'heading', level: heading[1]?.length ?? 1, parts: inline(heading[2] ?? '') });
    } else if (RULE.test(line)) {
      flush();
      blocks.push({ kind: 'rule' });
    } else if (item) {
      flush();
      const ordered = item[1] !== undefined;
      const before = blocks.at(-1);
      const parts = inline(item[2] ?? '');
      if (before?.kind === 'list' && before.ordered === ordered && lines[at - 1]?.trim()) before.items.push(parts);
      else blocks.push({ kind: 'list', ordered, items: [parts] });
    } else if (/^\s{0,3}>/.test(line) && depth < DEPTH) {
      flush();
      let last = at;
      while (/^\s{0,3}>/.test(lines[last] ?? '')) last++;
      const inner = lines.slice(at, last).map((one) => one.replace(/^\s{0,3}> ?/, ''));
      blocks.push({ kind: 'quote', blocks: parse(inner.join('\n'), depth + 1) });
      at = last - 1;
    } else if (line.trim() === '') flush();
    else words.push(line);
  }
  flush();
  return blocks;
}

export function inline(text: string, depth = 0): Inline[] {
  if (depth > DEPTH) return [{ kind: 'text', text }];
  const parts: Inline[] = [];
  let end = 0;
  for (const found of text.matchAll(INLINE)) {
    if (found.index > end) parts.push({ kind: 'text', text: text.slice(end, found.index) });
    end = found.index + found[0].length;
    const [whole, code, strong, em, label, target, address] = found;
    if (code !== undefined) parts.push({ kind: 'code', text: code });
    else if (strong !== undefined) parts.push({ kind: 'strong', parts: inline(strong, depth + 1) });
    else if (em !== undefined) parts.push({ kind: 'em', parts: inline(em, depth + 1) });
    else if (address !== undefined) parts.push(link(address, [{ kind: 'text', text: address }]));
    else if (target !== undefined) parts.push(link(target, inline(label || target, depth + 1)));
    else parts.push({ kind: 'text', text: whole });
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) });
  return parts;
}

/** Only addresses that run nothing are links: the web, mail, and pages of this server. */
export function isSafe(href: string): boolean {
  return /^(https?:\/\/|mailto:)/i.test(href) || /^\/(?![/\\])/.test(href);
}

function link(href: string, parts: Inline[]): Inline {
  return isSafe(href) ? { kind: 'link', href, parts } : { kind: 'em', parts };
}
