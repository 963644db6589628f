import { createViteServer } from 'vitest/node';

const conditions = ['kalends-source', 'node'];

/** Loads a TypeScript module of this repository into plain Node, without a build. */
export async function loadSource(path) {
  const server = await createViteServer({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    server: { middlewareMode: true, watch: null, hmr: false, ws: false },
    optimizeDeps: { noDiscovery: true, include: [] },
  });
  return { module: await server.ssrLoadModule(path), close: () => server.close() };
}
