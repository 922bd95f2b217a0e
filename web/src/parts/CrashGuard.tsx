import { Component, type ReactNode } from 'react';
import { ErrorPanel } from './ErrorPanel';

const ASK_AGAIN = 2000;

/** Shows an error in place of a page that breaks; the rest of the app keeps working. */
export class CrashGuard extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: null as unknown };
  private timer: ReturnType<typeof setTimeout> | undefined;

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidCatch(error: unknown) {
    if (isMissingPart(error)) this.heal();
  }

  override componentWillUnmount() {
    clearTimeout(this.timer);
  }

  /** Loads the page anew as soon as the server answers: while it is away that would only lose the page. */
  private heal() {
    this.timer = setTimeout(async () => {
      const answers = await fetch('/favicon.svg', { cache: 'no-store' }).then(
        (answer) => answer.ok,
        () => false,
      );
      if (answers) window.location.reload();
      else this.heal();
    }, ASK_AGAIN);
  }

  /** Without the view in the address: what made the page fail may be in it. Which job a form begins from stays. */
  private again() {
    const from = new URLSearchParams(window.location.search).get('from');
    const search = from === null ? '' : `?${new URLSearchParams({ from })}`;
    window.history.replaceState(null, '', window.location.pathname + search);
    this.setState({ error: null });
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    const missing = isMissingPart(this.state.error);
    return (
      <ErrorPanel
        error={this.state.error}
        title={
          missing
            ? 'A part of the page could not be loaded; trying again'
            : 'This page has failed: try again, or load it anew'
        }
        onRetry={() => (missing ? window.location.reload() : this.again())}
      />
    );
  }
}

/** The connection was lost while a part was loaded, or an update of the server has replaced it. */
function isMissingPart(error: unknown): boolean {
  return (
    error instanceof Error &&
    /dynamically imported module|Importing a module script|Unable to preload/.test(error.message)
  );
}
