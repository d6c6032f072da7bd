import { Type } from 'typebox'
import { Problem } from '#kit'
import { claimHandoff } from '../../../../sql/handoff/claims.ts'
import { route } from '../../../route.ts'
import { setContentHeaders } from '../../storage/index.ts'
import { HandoffToken } from '../schema.ts'
import {
  chooseReceipt,
  completeWhenSent,
  hashHandoffToken,
  hashPin,
  requireClaimRate,
  requireFreeHandoff,
} from '../tokens.ts'

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
    requireClaimRate(context, request)
    requireFreeHandoff(context)
    const tokenHash = hashHandoffToken(context, params.token)
    const { receipt, hash: receiptHash, isRepeat } = chooseReceipt(context, headers['X-Claim-Receipt'])
    const claim = {
      accountId: caller?.accountId,
      pinHash: hashPin(context, params.token, body.pin),
      receiptHash,
      isRepeat,
    }
    const found = await claimHandoff(context.db, tokenHash, claim)
    if ('fault' in found) throw new Problem(found.fault, { triesLeft: found.triesLeft })
    setContentHeaders(reply, found.view)
    completeWhenSent(context, reply, receiptHash)
    reply
      .header('x-claim-receipt', receipt)
      .header('cache-control', 'no-store')
      .header('content-length', found.view.size_bytes)
      .send(await context.store.read(found.key))
  },
})
