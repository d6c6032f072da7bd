import { redeliver } from '../../../../sql/webhook/endpoints.ts'
import { route } from '../../../route.ts'
import { Delivery, DeliveryId, MANAGER_AUTH, requireId } from './schema.ts'

export default route({
  at: 'POST /v1/webhooks/{id}/deliveries/{deliveryId}/redeliver',
  summary: 'Send a delivery again at once, under the same id, whatever became of it.',
  keywords: 'resend an event, retry a delivery, replay a callback',
  auth: MANAGER_AUTH,
  params: DeliveryId,
  reply: { status: 202, schema: Delivery },
  errors: ['NOT_FOUND', 'WEBHOOK_DISABLED', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, params: { id, deliveryId } }, { db }) {
    requireId(id, deliveryId)
    return redeliver(db, caller.accountId, id, deliveryId)
  },
})
