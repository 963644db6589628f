const bodies = new WeakMap<Response, Uint8Array<ArrayBuffer>>();

/**
 * A response with these bytes. A mount that knows how to send bytes takes them from `bytesOf`; the body, which whoever
 * else reads it gets, is only made when it is read: a Response would copy them first.
 */
export function bytesResponse(bytes: Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>>): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(bytes);
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const response = new Response(body, { headers });
  bodies.set(response, bytes);
  return response;
}

/** The whole body, while nobody has read it; undefined of other responses. */
export function bytesOf(response: Response): Uint8Array<ArrayBuffer> | undefined {
  return response.bodyUsed ? undefined : bodies.get(response);
}
