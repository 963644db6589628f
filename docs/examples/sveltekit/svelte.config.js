import adapter from '@sveltejs/adapter-node';

/** @type {import('@sveltejs/kit').Config} */
export default {
  kit: {
    adapter: adapter(),
    // Providers post to /calendar without an Origin, which SvelteKit refuses in any route; hooks.server.ts checks your own.
    csrf: { trustedOrigins: ['*'] },
  },
};
