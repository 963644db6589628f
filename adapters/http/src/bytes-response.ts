const bodies = new WeakMap<Response, Uint8Array<ArrayBuffer>>();

/**
 * Creates a response with these bytes, and creates its body when it is read: `new Response(bytes)` would copy them.
 * A mount that can send bytes takes them from `bytesOf`.
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

/** Returns the bytes of a response of `bytesResponse` whose body is unread; else undefined. */
export function bytesOf(response: Response): Uint8Array<ArrayBuffer> | undefined {
  return response.bodyUsed ? undefined : bodies.get(response);
}
