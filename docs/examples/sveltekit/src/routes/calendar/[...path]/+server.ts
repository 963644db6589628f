// The interface and its page, under /calendar. Routes of your own below /calendar are more specific, and win.
import { createDocsPage } from '@kalends/http';
import { calendar } from '$lib/server/calendar';
import type { RequestHandler } from './$types';

const docs = createDocsPage({ basePath: '/calendar' });

const answer: RequestHandler = async ({ request, url, getClientAddress }) => {
  if (docs.matches(url.pathname)) return docs(request);
  const { handler } = await calendar();
  return handler(request, { remoteAddress: getClientAddress() });
};

// Every method, HEAD and OPTIONS among them.
export { answer as fallback };
