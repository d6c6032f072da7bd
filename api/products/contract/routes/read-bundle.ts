import { Type } from 'typebox'
import { readBundle } from '../../../../sql/contract/contracts.ts'
import { route } from '../../../route.ts'
import { buildBundle } from '../bundle.ts'
import { findReader } from '../reading.ts'
import { ContractParam, READER_ERRORS } from '../schema.ts'

const Any = Type.Object({}, { additionalProperties: true })

export default route({
  at: 'GET /v1/contracts/{contract}/bundle',
  summary: 'Get all that is needed to check a contract without this service.',
  keywords: 'proof of signatures, export a contract, verify a contract offline, evidence',
  description:
    'Save it as a file and check it with the program at GET /v1/contracts/verifier, which needs only Node: `node verify.mjs bundle.json`.',
  auth: ['key', 'wallet', 'none'],
  params: ContractParam,
  reply: {
    status: 200,
    schema: Type.Object({
      format: Type.String(),
      contract: Any,
      document: Type.String({ description: 'Canonical JSON of what was agreed to; its SHA-256 is `termsHash`.' }),
      eip712: Any,
      log: Type.Array(Type.Object({ text: Type.String(), hash: Type.String() })),
      statement: Any,
      jws: Type.String({ description: 'The statement, signed by a key of this service.' }),
      keys: Type.Array(Any),
      notice: Type.String(),
    }),
  },
  errors: READER_ERRORS,
  async handle(asked, context) {
    return buildBundle(context, await readBundle(context.db, findReader(context, asked)))
  },
})
