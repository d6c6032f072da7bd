import { Type } from 'typebox'
import { Choice, Problem } from '#kit'
import { requireRate } from '../../../intake/identity/rate-limit.ts'
import { route } from '../../../route.ts'
import { BatonId, identifyVisitor, OWNER_READS, USE_ERRORS } from '../../baton/index.ts'
import { verifyChain } from '../chain.ts'
import { ChainReply } from '../fields.ts'

export default route({
  at: 'POST /v1/baton/{id}/trust/verify-chain',
  summary: 'Check every entry of a chained baton, and what was signed of it.',
  keywords:
    'tamper, integrity, audit, hash chain, ledger, has a log been changed, detect tampering, prove that a log was not changed, append only log proof',
  description: '`links` checks what was hashed of each entry; `full` also hashes the content again.',
  auth: OWNER_READS,
  connectorScope: 'batons:read',
  params: BatonId,
  body: Type.Object({ mode: Choice(['links', 'full'], { default: 'links' }) }, { additionalProperties: false }),
  bodyOptional: true,
  reply: { status: 200, schema: ChainReply },
  errors: [...USE_ERRORS, 'CHAIN_NOT_INITIALIZED', 'MODE_DISABLED', 'INPUT_TOO_LARGE', 'RATE_LIMITED'],
  examples: [{ title: 'With the content', input: { mode: 'full' } }],

  handle({ caller, params, body: { mode }, request }, context) {
    const { settings } = context
    if (mode === 'full' && !settings.get('baton.trust.verify_chain_full_enabled'))
      throw new Problem('MODE_DISABLED', { mode, allowed: ['links'] })
    requireRate(context, `chain:${caller.accountId}`, settings.get('rate.verify_chain_per_minute'))
    return verifyChain(context, identifyVisitor(context, { caller, params, request }), mode)
  },
})
