/** What every field of the form needs, without handing it through all parts. */

import { createContext, useContext } from 'react';
import type { Draft } from './lib/draft';

export interface Form {
  draft: Draft;
  set: (changes: Partial<Draft>) => void;
  /** What is wrong at a field, in the words of the server. */
  wrong: Record<string, string>;
}

export const FormContext = createContext<Form | null>(null);

export function useForm(): Form {
  const form = useContext(FormContext);
  if (!form) throw new Error('outside of the form');
  return form;
}

type TextField = { [K in keyof Draft]: Draft[K] extends string ? K : never }[keyof Draft];

/** The properties of a text field: `<TextInput {...text('name', 'name')} />`. */
export function useText() {
  const { draft, set, wrong } = useForm();
  return (of: TextField, field: string) => ({
    value: draft[of],
    error: wrong[field],
    'data-field': field,
    onChange: (event: { currentTarget: { value: string } }) => set({ [of]: event.currentTarget.value }),
  });
}

/** The same for a number; it may be empty. */
export function useNumber() {
  const { draft, set, wrong } = useForm();
  return (of: TextField, field: string, allowDecimal = false) => ({
    value: draft[of],
    error: wrong[field],
    'data-field': field,
    hideControls: true,
    allowNegative: false,
    allowDecimal,
    onChange: (value: number | string) => set({ [of]: String(value) }),
  });
}

export function focusField(field: string): void {
  const found = document.querySelector<HTMLElement>(`[data-field="${CSS.escape(field)}"]`);
  found?.focus({ preventScroll: true });
  found?.scrollIntoView({ block: 'center', behavior: 'smooth' });
}
