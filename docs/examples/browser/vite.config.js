import { defineConfig } from 'vite';

// The page and the interface have one origin, here by this proxy; no CORS is needed.
const proxy = { '/calendar': process.env.HOST_URL ?? 'http://localhost:3000' };

export default defineConfig({
  server: { proxy },
  preview: { proxy, port: Number(process.env.PORT ?? 4173), host: '127.0.0.1' },
});
