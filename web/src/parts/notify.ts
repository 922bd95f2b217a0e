/** Short notices in the corner, and the browser's own when allowed. */

import { notifications } from '@mantine/notifications';
import { errorText } from './ErrorPanel';

export function done(message: string): void {
  notifications.show({ message, autoClose: 4000 });
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
