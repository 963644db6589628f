import { KalendsError } from 'kalends';
import { z } from 'zod';
import { parameter, type Route } from '../route.ts';

const pushQuery = z.looseObject({
  validationToken: z
    .string()
    .max(2_048)
    .optional()
    .describe("Of Microsoft's validation handshake: the answer repeats it."),
});

export const pushRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/v1/push/{provider}',
    operationId: 'receivePush',
    tag: 'Provider notifications',
    summary: "Receive a notification of a provider's push channel",
    description: 'Not for applications. Authenticated by the secret that the channel was opened with.',
    access: 'open',
    query: pushQuery,
    answers: [
      { status: 202, description: 'Received.' },
      {
        status: 200,
        description: 'The answer to a validation handshake.',
        schema: z.string(),
        mediaType: 'text/plain',
      },
    ],
    errors: ['NotFound', 'PayloadTooLarge', 'UnsupportedMediaType'],
    handle: async (call) => {
      const { response, genuine, forged } = await call.engine.push.receive(parameter(call, 'provider'), call.request);
      call.verdict.isGenuine = genuine > 0;
      call.verdict.isFailure = forged > 0 && genuine === 0;
      if (response.status < 400) return response;
      // Adapters answer with a status alone.
      if (response.status === 404) throw new KalendsError('NotFound', 'the provider sends no notifications');
      throw new KalendsError('InvalidRequest', 'this is not a notification of the provider', {
        status: response.status,
      });
    },
  },
];
