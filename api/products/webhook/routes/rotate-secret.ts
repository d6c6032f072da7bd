import { Type } from 'typebox'
import { rotateWebhookSecret } from '../../../../sql/webhook/endpoints.ts'
import { route } from '../../../route.ts'
import { sealNewSecret } from '../registration.ts'
import { MANAGER_AUTH, requireId, WebhookId, WebhookWithSecret } from './schema.ts'

export default route({
  at: 'POST /v1/webhooks/{id}/rotate-secret',
  summary:
    'Give a webhook a new secret, which is never shown again. The former one signs as well for a day, or as you say.',
  keywords: 'new signing secret, replace webhook secret',
  description:
    'Meanwhile `webhook-signature` has a signature for each of the two secrets, and `X-Service-Signature` is by the new one. Set `overlapSeconds` to 0 if the former secret has leaked.',
  auth: MANAGER_AUTH,
  params: WebhookId,
  body: Type.Object(
    { overlapSeconds: Type.Integer({ minimum: 0, maximum: 604_800, default: 86_400 }) },
    { additionalProperties: false },
  ),
  bodyOptional: true,
  reply: { status: 200, schema: WebhookWithSecret },
  errors: ['NOT_FOUND', 'INVALID_PARAM', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  examples: [{ title: 'Replace a leaked secret at once', input: { overlapSeconds: 0 } }],
  async handle({ caller, params: { id }, body: { overlapSeconds } }, context) {
    requireId(id)
    const { secret, sealed } = sealNewSecret(context, id)
    const rotation = { secret: sealed, overlapSeconds }
    return { ...(await rotateWebhookSecret(context.db, caller.accountId, id, rotation)), secret }
  },
})
