/** One accent, quiet greys, contrast that passes WCAG AA in light and dark. */

import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const accent: MantineColorsTuple = [
  '#eef6fc',
  '#d9eaf6',
  '#b0d3ec',
  '#84bbe2',
  '#6cb0e2',
  '#3f8fc9',
  '#2a7ab4',
  '#1d6396',
  '#17527d',
  '#0f3d5e',
];

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 6 },
  colors: { accent },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace",
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.375rem' }, h2: { fontSize: '1.05rem' }, h3: { fontSize: '0.95rem' } },
  },
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true, multiline: true, maw: 360 } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Modal: { defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.45 } } },
    // A focusable element that is no item is not allowed in a menu.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Notification: {
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } },
      styles: { description: { color: 'var(--mantine-color-dimmed)' } },
    },
  },
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#59626e',
    '--mantine-color-placeholder': '#6b7480',
    '--mantine-color-error': '#b42331',
    '--mantine-color-red-outline': '#b42331',
    '--mantine-color-body': '#ffffff',
  },
  dark: {
    '--mantine-color-dimmed': '#a3abb6',
    '--mantine-color-placeholder': '#8f98a4',
    '--mantine-color-error': '#ff8f96',
    '--mantine-color-red-outline': '#ff8f96',
    '--mantine-color-body': '#14181d',
    '--mantine-color-text': '#dfe4ea',
    '--mantine-color-default': '#1d232a',
    '--mantine-color-default-hover': '#262d36',
    '--mantine-color-default-border': '#39424d',
    '--mantine-color-dark-6': '#1d232a',
    '--mantine-color-dark-7': '#181d23',
    '--mantine-color-dark-4': '#39424d',
    '--mantine-color-dark-5': '#2b333c',
  },
});
