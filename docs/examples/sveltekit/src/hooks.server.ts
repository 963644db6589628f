import { calendar } from '$lib/server/calendar';

/** Starts the background work with the server, not with the first request. */
export async function init() {
  const { engine } = await calendar();
  process.once('sveltekit:shutdown', () => engine.stop());
}
