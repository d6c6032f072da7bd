import { Type } from 'typebox'
import { Problem } from '#kit'
import { readDelivery } from '../../../../sql/webhook/endpoints.ts'
import { route } from '../../../route.ts'
import { DELIVERY_FIELDS, DeliveryId, READER_AUTH, requireId } from './schema.ts'

export default route({
  at: 'GET /v1/webhooks/{id}/deliveries/{deliveryId}',
  summary: 'Get one delivery with the event that was sent, without the result of its job, and the start of the answer.',
  keywords: 'payload of an event, why a webhook failed',
  auth: READER_AUTH,
  params: DeliveryId,
  reply: {
    status: 200,
    schema: Type.Object({
      ...DELIVERY_FIELDS,
      responseBody: Type.Union([Type.String(), Type.Null()], { description: 'The first 1,024 bytes.' }),
      payload: Type.Object({}, { additionalProperties: true }),
    }),
  },
  errors: ['NOT_FOUND', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, params: { id, deliveryId } }, { db }) {
    requireId(id, deliveryId)
    const delivery = await readDelivery(db, caller.accountId, id, deliveryId)
    if (!delivery) throw new Problem('NOT_FOUND')
    return delivery
  },
})
