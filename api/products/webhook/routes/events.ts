import { Type } from 'typebox'
import { listAccountEvents } from '#kit'
import { route } from '../../../route.ts'

export default route({
  at: 'GET /v1/webhooks/events',
  summary:
    'List the events that a webhook can register for. What each of them sends is in /openapi.json under `webhooks`.',
  keywords: 'event types, kinds of notifications',
  auth: ['none'],
  reply: { status: 200, schema: Type.Object({ events: Type.Array(Type.String()) }) },
  errors: [],
  handle: () => ({ events: listAccountEvents() }),
})
