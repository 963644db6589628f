export { createDispatcher } from './dispatcher.ts';
export { createEndpointService } from './endpoint-service.ts';
export { maskedUrl } from './masked-url.ts';
export { createMessageCalls, createReceiverCheck } from './on-message.ts';
export { createOutboundSender } from './outbound-sender.ts';
export { createSignedPosts } from './signed-posts.ts';
export { createSubscriptionService } from './subscription-service.ts';
export { createTargetOperations, type TargetOperations } from './target-operations.ts';
export { createWebhookUrlCheck } from './webhook-url.ts';
