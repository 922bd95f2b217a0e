/** Goes to a row of the list, by its place. */
export function focusRow(index: number): void {
  document.querySelectorAll<HTMLElement>('[data-row-link]')[index]?.focus();
}
