import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { Problem } from '#kit'
import { requireAddressRate } from '../../../intake/identity/rate-limit.ts'
import { route } from '../../../route.ts'
import { BatonRef, ContentEncoding, decodeContent, identifyAsker } from '../../baton/index.ts'
import { PROOF_FIELDS } from '../fields.ts'
import { findProof } from '../proof.ts'

export default route({
  at: 'POST /v1/baton/{id}/trust/challenge',
  summary: 'Find out whether a document is the one that was witnessed.',
  keywords: 'compare, authentic, verify a copy, proof, notarised file, is this the notarized document',
  auth: ['none'],
  params: BatonRef,
  body: Type.Object(
    {
      content: Type.Optional(
        Type.String({ description: 'The document, at most 3 MiB. Of a larger one send the hash.' }),
      ),
      contentEncoding: Type.Optional(ContentEncoding),
      sha256: Type.Optional(
        Type.String({ pattern: '^[0-9a-fA-F]{64}$', description: 'Its hexadecimal SHA-256, instead of the document.' }),
      ),
    },
    { minProperties: 1, additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({
      match: Type.Boolean(),
      sha256: Type.String({ description: 'Of the document that was sent.' }),
      ...PROOF_FIELDS,
    }),
  },
  errors: [
    'NOT_FOUND',
    'GONE',
    'FORBIDDEN',
    'NOT_WITNESSED',
    'CONFLICTING_OPTIONS',
    'MISSING_FIELD',
    'INVALID_BASE64',
    'INPUT_TOO_LARGE',
    'RATE_LIMITED',
  ],
  examples: [{ title: 'By its content', input: { content: 'Hello' } }],

  async handle({ params, body: { content, contentEncoding, sha256: given }, request }, context) {
    const { settings } = context
    const perAddress = settings.get('rate.trust_challenge_per_minute')
    requireAddressRate(context, { kind: 'challenge', ip: request.ip, perAddress })
    if (content !== undefined && given !== undefined)
      throw new Problem('CONFLICTING_OPTIONS', { fields: ['content', 'sha256'] })
    if (content === undefined && given === undefined) throw new Problem('MISSING_FIELD', { field: 'content' })
    const sha256 =
      given?.toLowerCase() ??
      createHash('sha256')
        .update(decodeContent({ content: content!, contentEncoding }))
        .digest('hex')
    const proof = await findProof(context, identifyAsker(context, { params, request }))
    return { match: proof.statement.sha256 === sha256, sha256, ...proof }
  },
})
