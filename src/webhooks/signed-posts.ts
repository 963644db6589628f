import type { OutboundSender, Sealer } from '../ports/index.ts';
import { bodyFor } from './message-body.ts';
import type { SendMessage } from './send-message.ts';
import { signatureHeaders } from './signature.ts';
import { openSecrets } from './target-secret.ts';

/** Creates the function that signs a message anew and POSTs it to its receiver's URL. */
export function createSignedPosts(dependencies: {
  readonly sealer: Sealer;
  readonly sender: OutboundSender;
  readonly timeoutMs: number;
}): SendMessage {
  const { sealer, sender, timeoutMs } = dependencies;
  return async (claim, at, shown) => {
    const { target, message } = claim;
    const { body, contentType } = bodyFor(claim, shown);
    const headers = signatureHeaders(await openSecrets(sealer, target, at), message.id, at, body);
    return sender.post({ url: target.url, headers: { ...headers, 'content-type': contentType }, body, timeoutMs });
  };
}
