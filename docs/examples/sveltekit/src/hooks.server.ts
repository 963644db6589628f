import { error, type Handle } from '@sveltejs/kit';
import { calendar } from '$lib/server/calendar';

/** Starts the background work with the server, not with the first request. */
export async function init() {
  const { engine } = await calendar();
  process.once('sveltekit:shutdown', () => engine.stop());
}

/** Refuses what other sites send to the routes of the host: svelte.config.js has taken the check of all routes away. */
export const handle: Handle = ({ event, resolve }) => {
  const { request, route, url } = event;
  const isSafe = ['GET', 'HEAD', 'OPTIONS'].includes(request.method);
  const isCalendar = route.id === '/calendar/[...path]';
  if (!isSafe && !isCalendar && request.headers.get('origin') !== url.origin)
    error(403, 'Cross-site requests are refused');
  return resolve(event);
};
