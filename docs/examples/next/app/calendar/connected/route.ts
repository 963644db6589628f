import type { NextRequest } from 'next/server';
import { calendar } from '../../../calendar';

/** The end of the browser flow: shows the names of the calendars that were just connected, or why none was. */
export async function GET({ nextUrl: { searchParams } }: NextRequest) {
  if (searchParams.has('error')) return Response.json({ error: searchParams.get('error') });
  const { engine, caller } = await calendar();
  const { data } = await engine.calendars.list(caller, String(searchParams.get('endUserAccountId')), {});
  return Response.json({ calendars: data.map(({ name }) => name) });
}
