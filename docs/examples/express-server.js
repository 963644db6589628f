// The /v1 interface inside an Express application (4 or 5), under /calendar.
import { createHandler } from '@kalends/http';
import { expressMiddleware } from '@kalends/http/express';
import express from 'express';

export function createApp(engine) {
  const app = express();
  app.use(express.json());
  app.use('/calendar', expressMiddleware(createHandler(engine)));
  // Routes of your own, also below /calendar, are still reached.
  app.get('/calendar/about', (_request, response) => response.json({ about: 'my application' }));
  return app;
}
