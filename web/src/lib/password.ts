/** As the server wants it. */
export const SHORTEST = 10;

export function isUsable(password: string, again: string): boolean {
  return [...password].length >= SHORTEST && password === again;
}
