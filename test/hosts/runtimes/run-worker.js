// Runs a bundled worker in workerd, the runtime of Cloudflare Workers, and prints what it answers.
import { readFileSync } from 'node:fs';
import { Miniflare } from 'miniflare';

const miniflare = new Miniflare({
  modules: true,
  script: readFileSync(process.argv[2], 'utf8'),
  compatibilityDate: '2026-04-01',
});
const answer = await miniflare.dispatchFetch('http://worker.example/');
console.log(await answer.text());
await miniflare.dispose();
