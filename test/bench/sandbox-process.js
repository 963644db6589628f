// The sandbox in a process of its own, so that its memory is not counted as the engine's: PROVIDER COUNT.
import { createSandbox } from '@kalends/sandbox';
import { addMailbox } from './mailbox.js';

const [provider, count] = process.argv.slice(2);
const DAY_MS = 86_400_000;
const sandbox = createSandbox({ seed: 1 });
// All within the window of Graph's feed, however many.
const firstMs = Date.now() - 300 * DAY_MS;
const mailbox = addMailbox(sandbox[provider], {
  count: Number(count),
  firstMs,
  stepMs: (600 * DAY_MS) / Number(count),
});
const { url } = await sandbox.listen();
process.once('disconnect', () => process.exit());
process.send({ ...mailbox, root: `${url}/${provider}` });
