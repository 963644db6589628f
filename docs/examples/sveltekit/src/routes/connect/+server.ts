import { redirect } from '@sveltejs/kit';
import { calendar } from '$lib/server/calendar';

/** Sends the person to the consent page of the provider. */
export async function GET() {
  redirect(302, (await calendar()).connectUrl);
}
