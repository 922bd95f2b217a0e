import { Page } from '../../parts/Page';
import { CalendarTab } from './CalendarTab';

/** Who has which GPU when. */
export default function CalendarPage() {
  return (
    <Page title="Calendar">
      <CalendarTab />
    </Page>
  );
}
