// A site on which people book a meeting. The API key stays in this process; browsers call the site alone.
import { createServer } from 'node:http';
import { createClient } from '@kalends/client';
import { createBookings } from './bookings.js';
import { createSite } from './site.js';

const { KALENDS_URL = 'http://127.0.0.1:4400/api', KALENDS_API_KEY = '', PORT = '3000' } = process.env;
const client = createClient({ baseUrl: KALENDS_URL, apiKey: KALENDS_API_KEY });
const server = createServer(createSite(createBookings(client)));
server.listen(Number(PORT));
process.once('SIGTERM', () => {
  server.close();
  server.closeIdleConnections();
});
