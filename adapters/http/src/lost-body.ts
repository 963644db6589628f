import type { Incoming } from './unread-body.ts';

/**
 * Settles a body that the host has read to its end without keeping it, before the handler reads. The request counts as read where
 * there was one, and as one without a body otherwise: left as it is, its body would be empty or its stream would fail.
 */
export async function settleLostBody(request: Request, incoming: Incoming & { rawBody?: unknown }): Promise<void> {
  if (!incoming.readableEnded || incoming.rawBody instanceof Buffer) return;
  // It may reject: it marks the request all the same.
  if (hasBody(incoming)) await request.text().catch(() => undefined);
  else incoming.rawBody = Buffer.alloc(0);
}

function hasBody(incoming: Incoming): boolean {
  if ('stream' in incoming) return !incoming.stream.endAfterHeaders;
  const { 'content-length': length = '0', 'transfer-encoding': coding } = incoming.headers;
  return Number(length) > 0 || coding !== undefined;
}
