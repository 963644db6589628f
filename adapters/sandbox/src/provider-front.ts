import type { RequestLog } from './control/request-log.ts';
import type { KernelParts } from './kernel/create-kernel.ts';
import type { Fault, ProviderName, SandboxServer } from './kernel/kernel.ts';

/** Reports a connection broken by an injected fault; over HTTP the socket is closed without an answer. */
export class ConnectionReset extends Error {
  override readonly name = 'ConnectionReset';
}

/**
 * Answers a request for a provider: faults first, then the server, then (for `answer-after`) the fault again. The
 * request is recorded with what the caller saw.
 * @throws ConnectionReset for a fault of kind `reset`
 */
export async function answerAsProvider(
  kernel: KernelParts,
  log: RequestLog,
  provider: { readonly name: ProviderName; readonly server: SandboxServer },
  request: Request,
): Promise<Response> {
  const url = new URL(request.url);
  const path = pathBelowRoot(url, provider.name);
  const requestBody = await request.text();
  const fault = kernel.faults.claim({ provider: provider.name, method: request.method, path });
  const response = await answer(kernel, provider, request, requestBody, fault);
  const responseBody = await response.clone().text();
  const { authorization: _secret, ...requestHeaders } = Object.fromEntries(request.headers);
  log.add({
    at: kernel.clock.now(),
    provider: provider.name,
    method: request.method,
    path,
    query: url.search,
    requestHeaders,
    requestBody,
    status: response.status,
    responseHeaders: Object.fromEntries(response.headers),
    responseBody,
    fault: fault?.kind ?? null,
  });
  return response;
}

/** Returns the path below the server's root: clients that take only an origin (Google's own) send it without the prefix. */
function pathBelowRoot(url: URL, name: string): string {
  const prefix = `/${name}`;
  const isBelow = url.pathname === prefix || url.pathname.startsWith(`${prefix}/`);
  return isBelow ? url.pathname.slice(prefix.length) || '/' : url.pathname;
}

async function answer(
  kernel: KernelParts,
  provider: { readonly name: ProviderName; readonly server: SandboxServer },
  request: Request,
  requestBody: string,
  fault: Fault | undefined,
): Promise<Response> {
  if (fault?.kind === 'reset') throw new ConnectionReset('an injected fault broke the connection');
  if (fault?.kind === 'answer') return faultAnswer(fault);
  if (fault?.kind === 'delay') await kernel.wait(fault.delayMs ?? 0);
  const url = new URL(request.url);
  const root = `${url.origin}/${provider.name}`;
  url.pathname = pathBelowRoot(url, provider.name);
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  const inner = new Request(url, {
    method: request.method,
    headers: request.headers,
    ...(hasBody && requestBody !== '' ? { body: requestBody } : {}),
  });
  const response = await provider.server.fetch(inner, root);
  return fault?.kind === 'answer-after' ? faultAnswer(fault) : response;
}

function faultAnswer(fault: Fault): Response {
  const status = fault.status ?? 500;
  const headers = { ...fault.headers };
  if (fault.body === undefined) return new Response(null, { status, headers });
  if (typeof fault.body === 'string') return new Response(fault.body, { status, headers });
  return Response.json(fault.body, { status, headers });
}
