import { calendar } from '../../calendar';

export const dynamic = 'force-dynamic';

/** Sends the person to the consent page of the provider. */
export async function GET() {
  return Response.redirect((await calendar()).connectUrl);
}
