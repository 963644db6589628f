import { parameter, type Route } from '../route.ts';

export const pushRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/v1/push/{provider}',
    operationId: 'receivePush',
    tag: 'Provider notifications',
    summary: "Where the provider's own notifications arrive",
    description: 'Not for applications. Authenticated by the secret that the channel was opened with.',
    access: 'open',
    query: 'pass',
    answers: [{ status: 200, description: 'Taken, or the answer to a validation handshake.' }],
    errors: ['NotFound'],
    handle: (call) => call.engine.push.receive(parameter(call, 'provider'), call.request),
  },
];
