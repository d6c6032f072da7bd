import { Type } from 'typebox'
import { route } from '../../../route.ts'

export default route({
  at: 'GET /v1/baton/system/egress-ips',
  summary: 'Say from which addresses webhooks are sent.',
  keywords: 'webhook source address, firewall, allow list',
  description: 'They are not fixed, so the list is empty: verify the signature of a webhook instead of its address.',
  auth: ['none'],
  reply: {
    status: 200,
    schema: Type.Object({
      dynamic: Type.Boolean({ description: 'The addresses may change at any time.' }),
      ips: Type.Array(Type.String()),
      advice: Type.String(),
    }),
  },
  errors: [],
  handle: () => ({
    dynamic: true,
    ips: [],
    advice: 'Addresses are dynamic. Verify webhook-signature or X-Service-Signature of each delivery.',
  }),
})
