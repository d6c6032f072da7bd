import { Type } from 'typebox'
import { Problem } from '#kit'
import { route } from '../../../route.ts'
import { setContentHeaders } from '../../storage/index.ts'
import { claim } from '../claiming.ts'
import { HandoffToken } from '../schema.ts'
import { requireClaimRate } from '../tokens.ts'

export default route({
  at: 'POST /api/handoff/claim/{token}',
  summary: 'Claim the file behind a handoff link: the answer is the file.',
  keywords: 'claim a link, pick up a file, receive a file by link, take over a file, download once',
  description:
    'If it was sent whole and its owner wanted that, it is deleted. A claim that is broken off may be repeated within five minutes with its `X-Claim-Receipt`. After five wrong PINs the link is locked (`HANDOFF_LOCKED`).',
  auth: ['key', 'wallet', 'none'],
  params: HandoffToken,
  headers: Type.Object({
    'X-Claim-Receipt': Type.Optional(Type.String({ description: 'Of an earlier claim that was broken off.' })),
  }),
  body: Type.Object(
    { pin: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })) },
    { additionalProperties: false },
  ),
  bodyOptional: true,
  reply: { status: 200, contentType: 'application/octet-stream' },
  errors: [
    'INVALID_PARAM',
    'FORBIDDEN',
    'PIN_REQUIRED',
    'PIN_WRONG',
    'HANDOFF_LOCKED',
    'NOT_FOUND',
    'ALREADY_CLAIMED',
    'GONE',
    'RATE_LIMITED',
    'HANDOFF_BILLING_NOT_READY',
  ],
  examples: [{ title: 'Claim it with its PIN', input: { pin: '4711' } }],
  async handle({ caller, params, headers, body, request, reply }, context) {
    requireClaimRate(context, request, params.token)
    const { pin } = body
    const claimant = { token: params.token, accountId: caller?.accountId, pin, receipt: headers['X-Claim-Receipt'] }
    const found = await claim(context, reply, claimant)
    if ('fault' in found) throw new Problem(found.fault, { triesLeft: found.triesLeft })
    setContentHeaders(reply, found.view)
    reply
      .header('x-claim-receipt', found.receipt)
      .header('cache-control', 'no-store')
      .header('content-length', found.view.size_bytes)
      .send(await context.store.read(found.key))
  },
})
