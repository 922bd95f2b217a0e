/** The query cache of the app, and the stream that keeps it true. */

import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './client';
import { EventCache } from './eventCache';
import { EventStream } from './events';

/** For large answers: comparing thousands of points costs more than it saves. */
export const NO_SHARING = { structuralSharing: false } as const;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The event stream reports what has changed, so nothing is fetched because of its age alone.
      staleTime: 60_000,
      refetchOnWindowFocus: false,
      retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
    },
  },
});

export const eventCache = new EventCache(queryClient);
export const stream = new EventStream(eventCache.apply);
