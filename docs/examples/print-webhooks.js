// Prints the webhooks that arrive at 127.0.0.1:5000, each after its verification: node print-webhooks.js SECRET [PORT]
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook } from '@kalends/client/webhooks';

const [, , endpointSecret, port = '5000'] = process.argv;

createServer(async (request, response) => {
  try {
    const { id, message } = verifyWebhook(await buffer(request), request.headers, endpointSecret);
    console.log('verified', id, message.eventType);
    response.writeHead(204).end();
  } catch (error) {
    console.log('refused', error.message);
    response.writeHead(400).end();
  }
}).listen(Number(port), '127.0.0.1', () => console.log(`waiting for webhooks at http://127.0.0.1:${port}`));
