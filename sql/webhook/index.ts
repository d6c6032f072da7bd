export { listDeliveries, listWebhooks, redeliver, registerWebhook } from './endpoints.ts'
export { type AttemptEnd, openDeliveryEnds, type TakenDelivery, takeDeliveries } from './queue.ts'
