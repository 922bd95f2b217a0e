/** People as the page shows them. */

const HUES = 12;

/** `AL` of Ada Lovelace, `AD` of ada: up to two letters. */
export function initials(name: string, fullName = ''): string {
  const words = (fullName.trim() || name).split(/[\s._-]+/).filter(Boolean);
  const [first = '', last = ''] = [words[0], words.length > 1 ? words.at(-1) : ''];
  const letters = last ? [...first].slice(0, 1).concat([...last].slice(0, 1)) : [...first].slice(0, 2);
  return letters.join('').toUpperCase() || '?';
}

/** The hue of somebody's avatar, in degrees: the same on every page and after every restart. */
export function hueOf(name: string): number {
  let hash = 2166136261; // FNV-1a
  for (const letter of name) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16777619) >>> 0;
  return (hash % HUES) * (360 / HUES);
}

/** What somebody is called: the full name where it is known. */
export function called({ name, full_name: fullName }: { name: string; full_name?: string }): string {
  return fullName?.trim() || name;
}

/** `Chrome on Linux` of the long line that a browser says of itself. */
export function browserText(agent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(
    agent.replace(/Chrome\/\S+ Safari\/\S+ (?=Edg|OPR)/, ''),
  )?.[1];
  const system = /(Android|iPhone|iPad|Windows|Mac OS X|Linux)/.exec(agent)?.[1];
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS' };
  const [what, where] = [browser, system].map((found) => found && (names[found] ?? found));
  if (!what) return agent.slice(0, 60) || 'unknown browser';
  return where ? `${what} on ${where}` : what;
}
