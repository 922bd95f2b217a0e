/** A command as it can be pasted into a shell. */

export function shellQuote(word: string): string {
  if (word !== '' && /^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}

export function commandText(argv: readonly string[]): string {
  return argv.map(shellQuote).join(' ');
}
