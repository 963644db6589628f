export { createAddressGuard } from './address-guard.ts';
export { createDispatcher } from './dispatcher.ts';
export { createEndpointService } from './endpoint-service.ts';
export { maskedUrl } from './masked-url.ts';
export { createOutboundSender } from './outbound-sender.ts';
export { type ResolveHost, systemResolveHost } from './resolve-host.ts';
export { createSubscriptionService } from './subscription-service.ts';
export { createTargetOperations, type TargetOperations } from './target-operations.ts';
export { createWebhookUrlCheck } from './webhook-url.ts';
