// Serves app.js in Node.
import { createServer } from 'node:http';
import { nodeListener } from '@kalends/http/node';
import app from './app.js';
import { engine } from './calendar.js';

const server = createServer(nodeListener(app.fetch));
server.listen(process.env.PORT ?? 3000);
process.once('SIGTERM', () => server.close(() => engine.stop()));
