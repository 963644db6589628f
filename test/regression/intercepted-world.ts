import { google, googleEndpoints } from '@kalends/google';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import type { EngineOptions } from 'kalends';
import { createWorld, type World } from '../interface/world.ts';

/** A request on its way to a provider: `pass` lets the provider answer, once or never. */
export type Intercept = (request: Request, pass: () => Promise<Response>) => Promise<Response>;

/** A world whose requests to the providers go through `network.intercept`, which a test may change at any time. */
export async function createInterceptedWorld(
  options: Partial<EngineOptions> = {},
  ofWorld: Parameters<typeof createWorld>[1] = {},
) {
  const network: { intercept: Intercept } = { intercept: (_request, pass) => pass() };
  let world: World | undefined;
  const fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    return network.intercept(request, async () => world?.sandbox.fetch(request.clone()) ?? Response.error());
  };
  // A test asks more in a minute than a person.
  const limits = { callsPerInterval: Number.POSITIVE_INFINITY };
  const wired = { fetch, limits, ...(options.clock === undefined ? {} : { clock: options.clock }) };
  const providers = {
    PROVIDER_A: google({ ...googleEndpoints('http://sandbox.test/google'), ...wired }),
    PROVIDER_B: microsoft({ ...microsoftEndpoints('http://sandbox.test/microsoft'), ...wired }),
  };
  world = await createWorld({ providers, ...options }, ofWorld);
  return { world, network };
}

/** A promise to be resolved from outside. */
export function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
