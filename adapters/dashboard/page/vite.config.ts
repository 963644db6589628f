import { defineConfig } from 'vite';

export default defineConfig({
  root: new URL('.', import.meta.url).pathname,
  base: './',
  logLevel: 'warn',
  resolve: { conditions: ['kalends-source', 'module', 'browser', 'import', 'default'] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: new URL('../assets', import.meta.url).pathname,
    assetsDir: 'files',
    emptyOutDir: true,
    // The page's policy allows no inline script, and data URLs for images alone.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    license: { fileName: 'LICENSES.md' },
  },
});
