export { createAuditService } from './audit-service.ts';
export { type AuditTrail, actorOf, createAuditTrail, EMBEDDED, FLOW, SYSTEM } from './audit-trail.ts';
