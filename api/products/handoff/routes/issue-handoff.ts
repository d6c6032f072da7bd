import { Type } from 'typebox'
import { newId } from '#kit'
import { issueHandoff } from '../../../../sql/handoff/claims.ts'
import { route } from '../../../route.ts'
import { OWNER_AUTH, OWNER_ERRORS, parseWireId } from '../../lease/index.ts'
import { Handoff, HandoffId } from '../schema.ts'
import { hashHandoffToken, hashPin, LINK, requireFreeHandoff } from '../tokens.ts'

export default route({
  at: 'POST /api/handoff/{id}',
  summary: 'Make a link by which others can take the file of a storage lease.',
  keywords:
    'share a file by link, one-time link, download link with a pin, give a file to somebody, give a file to another agent, hand a file over, pass a file on',
  description:
    'A GET of the link only describes the file, and a POST reads it. A lease with `X-Delete-On-Claim` can be claimed once. Checkpoints and mailboxes cannot be handed off yet.',
  auth: OWNER_AUTH,
  params: HandoffId('The `lease_id` of a storage lease, made by `POST /api/storage`.'),
  body: Type.Object(
    {
      expires_in_seconds: Type.Integer({ minimum: 60, maximum: 604_800, default: 3_600 }),
      max_claims: Type.Integer({ minimum: 1, maximum: 100, default: 1 }),
      pin: Type.Optional(
        Type.String({
          minLength: 4,
          maxLength: 12,
          pattern: '^[\\x21-\\x7e]+$',
          description: 'Asked for at the claim.',
        }),
      ),
      claimant_wallet: Type.Optional(
        Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', description: 'Only the account of this wallet may claim it.' }),
      ),
      claimant_email: Type.Optional(
        Type.String({
          pattern: '^[^\\s\\u0000\\ud800-\\udfff@<>"(),;:\\\\]+@[^\\s\\u0000\\ud800-\\udfff@<>"(),;:\\\\]+$',
          maxLength: 254,
          description: 'Only an account that signs in with it may claim it.',
        }),
      ),
      note: Type.Optional(Type.String({ maxLength: 500, pattern: '^[^\\u0000\\ud800-\\udfff]*$' })),
    },
    { additionalProperties: false },
  ),
  bodyOptional: true,
  reply: {
    status: 201,
    schema: Type.Object({
      ...Handoff.properties,
      claim_url: Type.String({ description: 'Whoever has it can claim. It is not shown again.' }),
    }),
  },
  errors: [
    'INVALID_PARAM',
    'FORBIDDEN',
    'NOT_FOUND',
    'GONE',
    'HANDOFF_UNSUPPORTED_LEASE',
    'HANDOFF_BILLING_NOT_READY',
    ...OWNER_ERRORS,
  ],
  examples: [{ title: 'For an hour, with a PIN', input: { pin: '4711', note: 'The contract' } }],
  async handle({ caller, params, body }, context) {
    const leaseId = parseWireId('lse_', params.id)
    requireFreeHandoff(context)
    const token = LINK.mint()
    const made = await issueHandoff(context.db, caller.accountId, leaseId, {
      id: newId(),
      tokenHash: hashHandoffToken(context, token),
      seconds: body.expires_in_seconds,
      maxClaims: body.max_claims,
      pinHash: hashPin(context, token, body.pin),
      wallet: body.claimant_wallet?.toLowerCase(),
      email: body.claimant_email?.toLowerCase(),
      note: body.note,
    })
    return { ...made, claim_url: `${context.config.publicUrl}/api/handoff/claim/${token}` }
  },
})
