// The /v1 interface on node:http.
import { createServer } from 'node:http';
import { createHandler } from '@kalends/http';
import { nodeListener } from '@kalends/http/node';

export function serve(engine) {
  return createServer(nodeListener(createHandler(engine)));
}
