/** Starts the background work with the server, not with the first request. */
export async function register() {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { calendar } = await import('./calendar');
  await calendar();
}
