/** Values of variables that the server does not show: `API_KEY=… as in job k3v9x2ab`. It fills them in. */

const MASK = /^[^=]+=… as in job ([0-9a-z]+)$/gm;

/** The jobs whose values are meant, each once. */
export function maskedIn(variables: string): string[] {
  return [...new Set([...variables.matchAll(MASK)].map(([, job]) => job as string))];
}
