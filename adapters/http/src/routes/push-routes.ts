import { KalendsError } from 'kalends';
import { parameter, type Route } from '../route.ts';

export const pushRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/v1/push/{provider}',
    operationId: 'receivePush',
    tag: 'Provider notifications',
    summary: "Receive a notification of a provider's push channel",
    description: 'Not for applications. Authenticated by the secret that the channel was opened with.',
    access: 'open',
    query: 'pass',
    answers: [{ status: 200, description: 'Received, or the answer to a validation handshake.' }],
    errors: ['NotFound', 'PayloadTooLarge', 'UnsupportedMediaType'],
    handle: async (call) => {
      const { response, genuine, forged } = await call.engine.push.receive(parameter(call, 'provider'), call.request);
      call.verdict.isGenuine = genuine > 0;
      call.verdict.isFailure = forged > 0 && genuine === 0;
      if (response.status < 400) return response;
      // Adapters answer with a status alone.
      throw new KalendsError('InvalidRequest', 'this is not a notification of the provider', {
        status: response.status,
      });
    },
  },
];
