/** A path of this page, from an address that anybody may have written; `/` for all else. */
export function ownPath(text: string | null | undefined, origin = location.origin): string {
  if (!text?.startsWith('/')) return '/';
  try {
    const url = new URL(text, origin);
    if (url.origin !== origin || url.pathname.startsWith('//') || url.pathname.startsWith('/api/')) return '/';
    return url.pathname + url.search;
  } catch {
    return '/';
  }
}
