import { Type } from 'typebox'
import { Problem } from '#kit'
import { noteMessage } from '../../../../sql/idverify/sessions.ts'
import { route } from '../../../route.ts'

export default route({
  at: 'POST /v1/idverify/messages',
  summary: 'Receive the webhooks of the provider that verifies identities.',
  auth: ['none'],
  rawBody: true,
  hidden: true,
  reply: { status: 200, schema: Type.Object({ received: Type.Literal(true) }) },
  errors: ['INVALID_WEBHOOK_SIGNATURE', 'PROVIDER_NOT_CONFIGURED'],
  async handle({ request: { body, headers } }, { db, identityProvider: provider }) {
    if (!provider) throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'idverify', set: 'IDENTITY_PROVIDER' })
    if (!Buffer.isBuffer(body)) throw new Problem('INVALID_WEBHOOK_SIGNATURE')
    const reference = provider.readMessage(body, headers)
    if (reference !== undefined) await noteMessage(db, provider.name, reference)
    return { received: true as const }
  },
})
