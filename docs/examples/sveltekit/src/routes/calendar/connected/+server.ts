import { json } from '@sveltejs/kit';
import { calendar } from '$lib/server/calendar';
import type { RequestHandler } from './$types';

/** The end of the browser flow: shows the names of the calendars that were just connected, or why none was. */
export const GET: RequestHandler = async ({ url: { searchParams } }) => {
  if (searchParams.has('error')) return json({ error: searchParams.get('error') });
  const { engine, caller } = await calendar();
  const { data } = await engine.calendars.list(caller, String(searchParams.get('endUserAccountId')), {});
  return json({ calendars: data.map(({ name }) => name) });
};
