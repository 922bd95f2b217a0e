import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

const api = { '/api': { target: process.env.PADDOCK_URL ?? 'http://127.0.0.1:54322', changeOrigin: false } };

export default defineConfig({
  plugins: [react()],
  build: { outDir: '../src/paddock/web_dist', emptyOutDir: true, manifest: true, reportCompressedSize: false },
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
