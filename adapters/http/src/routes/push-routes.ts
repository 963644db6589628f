import { KalendsError } from 'kalends';
import { readBytes } from '../request-input.ts';
import { type Call, parameter, type Route } from '../route.ts';

/** Far more than a provider puts into one request. */
const MAX_BYTES = 262_144;

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
    errors: ['NotFound', 'PayloadTooLarge'],
    handle: async (call) => {
      const response = await call.engine.push.receive(parameter(call, 'provider'), await withBody(call));
      if (response.status < 400) return response;
      // Adapters answer with a bare status.
      throw new KalendsError('InvalidRequest', 'this is no notification of the provider', { status: response.status });
    },
  },
];

/** The request with its whole body at hand, so that no adapter has to know how a body is refused. */
async function withBody({ request }: Call): Promise<Request> {
  const { url, method, headers } = request;
  const bytes = await readBytes(request, MAX_BYTES);
  return new Request(url, { method, headers, ...(bytes.length === 0 ? {} : { body: bytes }) });
}
