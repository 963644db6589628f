// The /v1 interface on node:http.
import { createServer } from 'node:http';
import { createHandler } from '@kalends/http';
import { answerClientErrors, nodeListener } from '@kalends/http/node';

export function serve(engine) {
  const server = createServer(nodeListener(createHandler(engine)));
  answerClientErrors(server);
  return server;
}
