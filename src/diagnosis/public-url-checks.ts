import type { PushEcho } from '../channels/index.ts';
import { createAddressGuard, type ResolveHost } from '../network/index.ts';
import type { Clock, Finding, OutboundResult } from '../ports/index.ts';
import { createOutboundSender } from '../webhooks/index.ts';

const TIMEOUT_MS = 8_000;
const HTTPS = 'Set the public URL to an https address that the internet reaches.';
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Checks the form of the public URL. */
export function publicUrlFinding(publicUrl: string | undefined): Finding {
  const check = 'publicUrl';
  if (publicUrl === undefined) {
    const message =
      'No public URL is set: people cannot connect accounts in a browser, and calendars are polled without push.';
    return { check, status: 'warning', message, remedy: HTTPS };
  }
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol === 'https:') return { check, status: 'ok', message: `The public URL is ${publicUrl}.`, remedy: null };
  if (LOOPBACK.test(hostname)) {
    const message = `The public URL ${publicUrl} is this machine's own: enough for development, but providers cannot push to it.`;
    return { check, status: 'warning', message, remedy: HTTPS };
  }
  const message = `The public URL ${publicUrl} is not https: providers neither return browsers to it nor push to it.`;
  return { check, status: 'failed', message, remedy: HTTPS };
}

export interface ReachDependencies {
  readonly echo: PushEcho;
  readonly clock: Clock;
  readonly resolveHost: ResolveHost;
}

/** Checks that the host of the public URL has public addresses alone, as far as this machine's resolver tells. */
export async function addressFinding(publicUrl: string, resolveHost: ResolveHost): Promise<Finding> {
  const check = 'publicAddress';
  const { hostname } = new URL(publicUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = await resolveHost(host).catch(() => undefined);
  if (addresses === undefined) {
    const message = `The host ${host} of the public URL does not resolve.`;
    return { check, status: 'failed', message, remedy: 'Add its DNS record, or correct the public URL.' };
  }
  const guard = createAddressGuard([]);
  const hidden = addresses.filter((address) => !guard.allows(address, 'https:'));
  if (hidden.length === 0) {
    const message = `The host ${host} of the public URL has public addresses.`;
    return { check, status: 'ok', message, remedy: null };
  }
  const message = `The host ${host} of the public URL has the private address ${hidden.join(', ')} here: providers cannot push to that.`;
  const remedy = 'Use a public address. If the internet resolves the host to another one, this warning can be ignored.';
  return { check, status: 'warning', message, remedy };
}

/**
 * Sends a challenge to a push address and checks that this installation answers it. The address is the operator's own, so any
 * network may be addressed.
 */
export async function pushFinding(address: string, { echo, clock }: ReachDependencies): Promise<Finding> {
  const sender = createOutboundSender({ guard: { allows: () => true, opensNetworks: true }, clock });
  const { url, verdict } = echo.ask(address);
  try {
    const result = await sender.post({ url, headers: {}, body: '', timeoutMs: TIMEOUT_MS });
    if (result.status === null) return unreachable(address, result.failure ?? 'connection');
    if (result.status !== 200) return foreign(address, `with status ${result.status}`);
    switch (verdict(result.excerpt)) {
      case 'same': {
        const message = `A process of this installation answers at the push address ${address}.`;
        return { check: 'push', status: 'ok', message, remedy: null };
      }
      case 'other-secret':
        return foreign(address, 'and is another installation of kalends, with another secret');
      case 'unknown':
        return foreign(address, 'with status 200, but is not kalends');
    }
  } finally {
    await sender.close();
  }
}

const FAILURES: Readonly<Record<NonNullable<OutboundResult['failure']>, readonly [string, string]>> = {
  timeout: ['gives no answer in time', 'Check the proxy, the firewall, and that a server runs.'],
  connection: [
    'refuses or breaks the connection',
    'Start a server ("kalends start"), or check the proxy in front of it.',
  ],
  tls: ['has a certificate that is not accepted', 'Mend its certificate: providers refuse it too.'],
  dns: ['has a host that does not resolve', 'Add its DNS record, or correct the public URL.'],
  'address-refused': ['has an address that is not dialled', 'Correct the public URL.'],
};

function unreachable(address: string, failure: NonNullable<OutboundResult['failure']>): Finding {
  const [fact, remedy] = FAILURES[failure];
  return { check: 'push', status: 'failed', message: `The push address ${address} ${fact}.`, remedy };
}

function foreign(address: string, how: string): Finding {
  const message = `Something else answers at the push address ${address}: it answers ${how}.`;
  const remedy =
    'Let the proxy pass the public URL and all paths below it on to the server, with the path that the server is mounted at.';
  return { check: 'push', status: 'failed', message, remedy };
}
