import { Type } from 'typebox'
import { listServiceKeys } from '../../../../ops/products/witness/index.ts'
import { ARBITRATOR, DOMAIN, hashPrompt, TYPES } from '../../../../tasks/products/contract/index.ts'
import { route } from '../../../route.ts'
import { buildSampleBundle } from '../bundle.ts'
import { NOTICE } from '../schema.ts'

const Any = Type.Object({}, { additionalProperties: true })

export default route({
  at: 'GET /v1/contracts/disclosure',
  summary: 'Tell how contracts are hashed, signed and logged, and with which keys, so that anyone can check them.',
  keywords: 'how to verify a contract, contract keys, contract format',
  auth: ['none'],
  reply: {
    status: 200,
    schema: Type.Object({
      notice: Type.String(),
      canonicalization: Type.String(),
      hash: Type.String(),
      eip712: Any,
      serviceKeys: Type.Object(
        { keys: Type.Array(Any) },
        { description: 'A JWKS of the current key and the retired ones, each with `kid`, `validFrom` and `validTo`.' },
      ),
      chainFormat: Type.String(),
      verifier: Type.String(),
      verifySteps: Type.Array(Type.String()),
      sampleBundle: Type.Object(
        {},
        { additionalProperties: true, description: 'Of a sample contract, to try the verifier with.' },
      ),
      arbitration: Any,
    }),
  },
  errors: [],
  async handle({ reply }, context) {
    const { config, db } = context
    reply.header('cache-control', 'public, max-age=300')
    return {
      notice: NOTICE,
      canonicalization: 'RFC8785',
      hash: 'sha256',
      eip712: { domain: { ...DOMAIN, chainId: 'that of the contract' }, types: TYPES },
      serviceKeys: { keys: await listServiceKeys(db, config.secret) },
      chainFormat:
        'Each entry is the JSON array [kind, id, seq, account, actor, action, detail, time, previous]; its hash is the SHA-256 of that text, and `previous` is the hash of the entry before.',
      verifier: `${config.publicUrl}/v1/contracts/verifier`,
      verifySteps: [
        'The SHA-256 of `document` is `termsHash`.',
        'The hash of each entry of the log is that of its text, and each names the one before.',
        'Every party that has signed by wallet has an entry with its signature, which is that of its address over the typed data.',
        'Every party that has signed by account has an entry with the same terms hash, which this service vouches for.',
        'What the contract shows of its parties, signatures, disputes and status is what `document` and the log say. The verifier names what neither covers.',
        'Every ruling is signed by one of the keys, and its signature is in the log.',
        'The statement names the last entry, and its signature is that of one of the keys.',
      ],
      sampleBundle: await buildSampleBundle(context),
      arbitration: {
        available: config.llm !== undefined,
        prompt: ARBITRATOR,
        promptSha256: hashPrompt(),
        limitations:
          'A model can be wrong. Two passes, the second with the evidence in the other order, must come to one outcome, every quoted term must stand in the contract, and every finding must rest on a term or on evidence; otherwise the outcome is inconclusive. Files that are named by their hash alone are not read.',
      },
    }
  },
})
