import { isUuid, Problem } from '#kit'
import { type ReceiptFacts, readReceiptFacts } from '../../../../../sql/receipt/facts.ts'
import { route } from '../../../../route.ts'
import { isUnfinished, JobId } from '../../../../routes/jobs/schema.ts'
import { issueReceipt } from '../../issue.ts'
import { ReceiptReply } from '../../schema.ts'

export default route({
  at: 'GET /v1/jobs/{id}/receipt',
  summary:
    'Get a signed receipt of a call by its `X-Service-Job-Id`: what it was, hashes of what went in and came out, price and payer.',
  keywords: 'proof of payment, invoice, prove a charge, signed receipt, audit, expense, dispute a charge',
  description:
    'Anyone can check it offline against `/.well-known/jwks.json`, also after a change of keys, with the program at GET /v1/witness/verifier. A job that failed has a receipt too, of a charge of zero. Hashes of the output are there as long as a job keeps its result, so keep the receipt. `request_sha256` is of method, path with query, and content type, each with a line feed behind it, then the body as sent; `result_sha256` of the RFC 8785 form of the result. With `Accept: application/jose` the answer is the JWS alone.',
  auth: ['key', 'wallet'],
  connectorScope: 'mcp:read',
  params: JobId,
  reply: { status: 200, schema: ReceiptReply },
  errors: [
    'NOT_FOUND',
    'JOB_NOT_ENDED',
    'witness_key_not_configured',
    'MISSING_AUTH',
    'UNAUTHENTICATED',
    'ACCOUNT_SUSPENDED',
  ],
  async handle({ caller, params: { id }, request: { headers }, reply }, context) {
    const facts = isUuid(id) ? await readReceiptFacts(context.db, caller.accountId, id) : null
    if (!facts) throw new Problem('NOT_FOUND')
    if (isUnfinished(facts)) throw refuseUnfinished(facts)
    const issued = await issueReceipt(context, facts)
    if (!/\bapplication\/jose\b/i.test(headers.accept ?? '')) return issued
    return void reply.type('application/jose').send(issued.receipt)
  },
})

function refuseUnfinished({ id, status }: ReceiptFacts): Problem {
  return new Problem('JOB_NOT_ENDED', { status, retryAfterSeconds: 1, waitAt: `/v1/jobs/${id}?wait=60` })
}
