export { createErasureService } from './erasure-service.ts';
