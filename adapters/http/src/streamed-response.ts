const streams = new WeakSet<Response>();

/** Creates a response whose body is made while it is read: nothing may read it as a whole, to measure it for instance. */
export function streamedResponse(
  body: ReadableStream<Uint8Array>,
  headers: Readonly<Record<string, string>>,
): Response {
  const response = new Response(body, { headers });
  streams.add(response);
  return response;
}

/** Tells whether a response is a stream. */
export function isStreamed(response: Response): boolean {
  return streams.has(response);
}
