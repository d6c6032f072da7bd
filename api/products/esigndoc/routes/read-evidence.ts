import { Type } from 'typebox'
import { buildKeySet, openSigningKey } from '../../../../ops/products/witness/index.ts'
import { readEvidence } from '../../../../sql/esigndoc/envelopes.ts'
import { signEnvelope } from '../../../../tasks/products/esigndoc/statement.ts'
import { route } from '../../../route.ts'
import { EnvelopeParam, OWNER_ERRORS, parseEnvelopeId } from '../schema.ts'

const Any = Type.Object({}, { additionalProperties: true })

export default route({
  at: 'GET /v1/esigndoc/envelopes/{id}/evidence',
  summary: 'Get all that is needed to check an envelope without this service.',
  keywords: 'proof of signature, proof who signed, verify an envelope offline, export the audit trail, court evidence',
  description:
    'Save it as a file and check it with the program at GET /v1/esigndoc/verifier, which needs only Node: `node verify.mjs evidence.json sealed.pdf`.',
  auth: ['key', 'wallet'],
  params: EnvelopeParam,
  reply: {
    status: 200,
    schema: Type.Object({
      format: Type.String(),
      envelope: Any,
      documents: Type.Array(Any, { description: 'What was sealed, by its SHA-256.' }),
      log: Type.Array(Type.Object({ text: Type.String(), hash: Type.String() })),
      ledger: Type.Union([Any, Type.Null()], {
        description:
          'The witness of the ledger that has a copy of the log, with what it chained, once the envelope has ended.',
      }),
      statement: Any,
      jws: Type.String({ description: 'The statement, signed by a key of this service.' }),
      keys: Type.Array(Any),
    }),
  },
  errors: OWNER_ERRORS,
  async handle({ caller, params }, { config, db }) {
    const found = await readEvidence(db, caller.accountId, parseEnvelopeId(params.id))
    const { log, documents, ledger, ...envelope } = found
    const key = await openSigningKey(db, config.secret)
    const { statement, jws } = signEnvelope(found, new Date(), key)
    const { keys } = await buildKeySet(db, config.secret)
    return { format: 'svc.envelope-evidence/1', envelope, documents, log, ledger, statement, jws, keys }
  },
})
