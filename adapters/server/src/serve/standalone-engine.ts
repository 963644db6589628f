import { caldav, icloud } from '@kalends/caldav';
import { google, googleEndpoints } from '@kalends/google';
import { icsFeed } from '@kalends/ics-feed';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { createEngine, type Engine, KalendsError } from 'kalends';
import type { Logger, Storage, Telemetry } from 'kalends/ports';
import { CommandError } from '../command-error.ts';
import { hostChecksOf } from '../doctor/host-checks.ts';
import { requireSecret, type Settings } from '../settings.ts';
import { keyringsOf } from './keyrings.ts';

/** Returns the names of all providers. */
export function providerNamesOf(settings: Settings): readonly string[] {
  const { googleName, microsoftName, caldavName, icloudName, icsName } = settings;
  return [googleName, microsoftName, caldavName, icloudName, icsName];
}

/** Creates the engine of the standalone server, with every provider under the operator's name for it. */
export function standaloneEngine(
  settings: Settings,
  {
    storage,
    logger,
    telemetry,
  }: { readonly storage: Storage; readonly logger: Logger; readonly telemetry?: Telemetry },
): Engine {
  const {
    googleName,
    microsoftName,
    caldavName,
    icloudName,
    icsName,
    publicUrl,
    previousSecrets,
    lostKeyIds,
    environment,
    allowedNetworks,
  } = settings;
  const { googleCallsPerMinute, googleCallsPerDay, maxPushStalenessMs, providersUrl } = settings;
  const perMinute = googleCallsPerMinute === undefined ? {} : { perMinute: googleCallsPerMinute };
  const perDay = googleCallsPerDay === undefined ? {} : { perDay: googleCallsPerDay };
  const names = providerNamesOf(settings);
  if (new Set(names).size < names.length) {
    throw new CommandError('KALENDS_GOOGLE_NAME and the names of the other providers must differ');
  }
  try {
    return createEngine({
      storage,
      providers: {
        [googleName]: google({ ...(providersUrl && googleEndpoints(`${providersUrl}/google`)), logger }),
        [microsoftName]: microsoft({ ...(providersUrl && microsoftEndpoints(`${providersUrl}/microsoft`)), logger }),
        [caldavName]: caldav({ allowedNetworks, logger }),
        [icloudName]: icloud({ logger }),
        [icsName]: icsFeed({ allowedNetworks, logger }),
      },
      secret: requireSecret(settings),
      previousSecrets,
      lostKeyIds,
      ...keyringsOf(settings),
      environment,
      webhooks: { allowedNetworks },
      ...(maxPushStalenessMs === undefined ? {} : { sync: { maxPushStalenessMs } }),
      providerBudgets: { [googleName]: { ...perMinute, ...perDay } },
      hostChecks: hostChecksOf(settings, process.env),
      logger,
      ...(publicUrl === undefined ? {} : { publicUrl }),
      ...(telemetry === undefined ? {} : { telemetry }),
    });
  } catch (error) {
    if (!KalendsError.isInstance(error)) throw error;
    throw new CommandError(`the configuration is invalid: ${inVariables(error)}`);
  }
}

/** Names the variables of a refused configuration in place of the engine's options, which the operator never wrote. */
function inVariables({ message, details = [] }: KalendsError): string {
  const [detail] = details;
  const [option, index] = detail?.path.split('.') ?? [];
  const asRead =
    '(it is read as base64, or as hex when all of it is hex digits; make one with: openssl rand -base64 32)';
  if (option === 'secret') return `KALENDS_SECRET ${detail?.message} ${asRead}`;
  if (option === 'previousSecrets') return `KALENDS_PREVIOUS_SECRETS, entry ${Number(index) + 1}, ${detail?.message}`;
  if (option === 'lostKeyIds') return `KALENDS_LOST_KEY_IDS, entry ${Number(index) + 1}, ${detail?.message}`;
  if (option === 'allowedNetworks') return `KALENDS_ALLOWED_NETWORKS, entry ${Number(index) + 1}, ${detail?.message}`;
  return message;
}
