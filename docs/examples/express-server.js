// The /v1 interface inside an Express application (4 or 5), under /calendar.
import { createHandler } from '@kalends/http';
import { expressMiddleware } from '@kalends/http/express';
import express from 'express';

export function createApp(engine) {
  const app = express();
  // Before express.json(): then bodies of any size and shape get the answers of the interface. After it works as well,
  // but what Express's own parser refuses is answered in Express's words.
  app.use('/calendar', expressMiddleware(createHandler(engine)));
  app.use(express.json());
  // Routes of your own, also below /calendar, are still reached.
  app.get('/calendar/about', (_request, response) => response.json({ about: 'my application' }));
  return app;
}
