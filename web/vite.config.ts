import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

const api = { '/api': { target: process.env.PADDOCK_URL ?? 'http://127.0.0.1:54322', changeOrigin: false } };

// What several pages use comes in few files: each costs a request, and a page would load up to 75 otherwise.
const SHARED = [
  { name: 'shared', test: /^(?!.*(uplot|parts.plots|[Vv]irtual|table))/, minShareCount: 2, priority: 1 },
  { name: 'plots', minShareCount: 2 },
];

export default defineConfig({
  plugins: [react()],
  build: {
    outDir: '../src/paddock/web_dist',
    emptyOutDir: true,
    manifest: true,
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups: SHARED } } },
  },
  server: { proxy: api },
  preview: { proxy: api },
  // Most tests need no document: those that do name their environment in their first line.
  test: {
    environment: 'node',
    pool: 'threads',
    isolate: false,
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/test.setup.ts'],
  },
});
