/** Short notices in the corner, and the browser's own when allowed. */

import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { errorText } from './ErrorPanel';

export function done(message: ReactNode): void {
  notifications.show({ message, autoClose: 4000 });
}

/** A notice that stays a little longer, as there is something to press in it; it goes when that was pressed. */
export function offer(message: (close: () => void) => ReactNode): void {
  const id = `offer-${Date.now()}`;
  notifications.show({ id, message: message(() => notifications.hide(id)), autoClose: 10_000 });
}

/** For `onError` of a mutation. */
export function failed(error: unknown): void {
  notifications.show({ title: 'That did not work', message: errorText(error), color: 'red', autoClose: 10_000 });
}

/** Shown by the system when the page is not in sight and the person has allowed it; else in the page. */
export function tell(title: string, message: string): void {
  const allowed = typeof Notification !== 'undefined' && Notification.permission === 'granted';
  if (document.hidden && allowed) new Notification(title, { body: message, icon: '/favicon.svg' });
  notifications.show({ title, message, autoClose: 8000 });
}
