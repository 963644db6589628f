// The interface and its page, under /calendar. Routes of your own below /calendar are more specific, and win.
import { createDocsPage } from '@kalends/http';
import { calendar } from '../../../calendar';

const docs = createDocsPage({ basePath: '/calendar' });

async function answer(request: Request) {
  if (docs.matches(new URL(request.url).pathname)) return docs(request);
  const { handler } = await calendar();
  return handler(request);
}

export { answer as DELETE, answer as GET, answer as OPTIONS, answer as PATCH, answer as POST, answer as PUT };
