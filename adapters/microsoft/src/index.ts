export { type MicrosoftEndpoints, microsoftEndpoints, PUBLIC_ENDPOINTS } from './endpoints.ts';
export { microsoft } from './microsoft.ts';
export {
  DEFAULT_SCOPES,
  type MicrosoftLimits,
  type MicrosoftOptions,
} from './options.ts';
