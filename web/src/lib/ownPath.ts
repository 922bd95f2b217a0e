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

/** Where somebody wanted to go who is asked to sign in: the address as it is, unless it is that of signing in. */
export function wanted({ pathname, search, origin }: Pick<Location, 'pathname' | 'search' | 'origin'>): string {
  const params = new URLSearchParams(search);
  if (pathname === '/sign-in') return ownPath(params.get('next'), origin);
  params.delete('sign_in_error');
  return ownPath(pathname + (params.size ? `?${params}` : ''), origin);
}
