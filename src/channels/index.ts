export { type ChannelKeeper, createChannelKeeper } from './channel-keeper.ts';
export { createChannelTokens } from './channel-token.ts';
export { createPushEcho, type PushEcho } from './push-echo.ts';
export { createPushService } from './push-service.ts';
