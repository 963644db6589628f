/** One message of the protocol between clients and servers; the client's first has no type. */
export interface WireMessage {
  readonly type: string;
  readonly bytes: Buffer;
}

/**
 * Cuts a stream into messages. @see https://www.postgresql.org/docs/current/protocol-message-formats.html
 * @param hasStartup whether the first message has no type byte, as clients send it
 */
export function createMessageReader(hasStartup: boolean): (chunk: Buffer) => readonly WireMessage[] {
  let rest = Buffer.alloc(0);
  let isStarting = hasStartup;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const messages: WireMessage[] = [];
    for (;;) {
      const typeLength = isStarting ? 0 : 1;
      if (rest.length < typeLength + 4) return messages;
      const length = typeLength + rest.readUInt32BE(typeLength);
      if (rest.length < length) return messages;
      const bytes = rest.subarray(0, length);
      messages.push({ type: isStarting ? 'startup' : String.fromCharCode(bytes[0] ?? 0), bytes });
      rest = rest.subarray(length);
      isStarting = false;
    }
  };
}
