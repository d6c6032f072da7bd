import { Type } from 'typebox'
import { Problem } from '#kit'
import { readContract } from '../../../../sql/contract/contracts.ts'
import { signContract } from '../../../../sql/contract/signatures.ts'
import type { ApiContext } from '../../../context.ts'
import { route } from '../../../route.ts'
import { describeContract, findReader } from '../reading.ts'
import { Contract, ContractParam, PARTY, PartyKey, parseContractId, READER_ERRORS } from '../schema.ts'
import { proveByWallet, signByAccount } from '../signing.ts'

const TERMS_HASH = 'It is the termsHash of the contract, which says that you accept those terms and no others.'

export default route({
  at: 'POST /v1/contracts/{contract}/sign',
  summary: 'Sign a contract for a party: with the signature of its wallet, or as its account.',
  keywords: 'accept a contract, eip-712 signature, agree to terms',
  description:
    'A wallet signs the typed data in `signPayload` and sends `signature`, `address` and `signedAt`; it needs no account, but without one or the link of a party, a wrong signature is answered as if there were no contract. An account sends `termsHash` and `accept`.',
  auth: ['key', 'wallet', 'none'],
  params: ContractParam,
  body: Type.Object(
    {
      partyKey: PartyKey,
      signature: Type.Optional(Type.String({ pattern: '^0x[0-9a-fA-F]+$', maxLength: 20_000 })),
      address: Type.Optional(Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })),
      signedAt: Type.Optional(Type.Integer({ minimum: 0, maximum: 4_102_444_800 })),
      termsHash: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
      accept: Type.Optional(Type.Literal(true)),
    },
    { additionalProperties: false },
  ),
  reply: { status: 200, schema: Contract },
  errors: [
    ...([
      'INVALID_PARAM',
      'MISSING_FIELD',
      'SIGNATURE_INVALID',
      'NOT_A_PARTY',
      'WRONG_METHOD',
      'ALREADY_SIGNED',
    ] as const),
    ...(['CONTRACT_NOT_PENDING', 'TERMS_HASH_MISMATCH', 'CONTRACT_EXPIRED', 'PROVIDER_NOT_CONFIGURED'] as const),
    'PROVIDER_UNAVAILABLE',
    ...READER_ERRORS,
  ],
  examples: [
    {
      title: 'As an account',
      input: {
        partyKey: 'buyer',
        accept: true,
        termsHash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      },
    },
  ],
  async handle(asked, context) {
    const { body, caller, request } = asked
    const { partyKey, signature, address, signedAt, termsHash, accept } = body
    const isByWallet = signature !== undefined || address !== undefined || signedAt !== undefined
    if (isByWallet === (accept !== undefined || termsHash !== undefined))
      throw new Problem('INVALID_PARAM', { field: 'signature', reason: 'either a signature or an acceptance' })
    const signer = { partyKey, accountId: caller?.accountId, ip: request.ip }
    if (isByWallet) {
      if (signature === undefined || address === undefined || signedAt === undefined)
        throw new Problem('INVALID_PARAM', { field: 'signature', reason: 'it goes with address and signedAt' })
      const id = await findId(asked, context)
      const prove = () => proveByWallet(context, { ...signer, id }, { signature, address, signedAt })
      const proof = await prove().catch(error => hideFromOthers(error, asked, context))
      const view = await signContract(context.db, id, partyKey, proof)
      return describeContract(context.config, view, asked.params.contract)
    }
    if (!accept) throw new Problem('MISSING_FIELD', { field: 'accept', example: true })
    if (!termsHash) throw new Problem('MISSING_FIELD', { field: 'termsHash', reason: TERMS_HASH })
    const { id } = await readContract(context.db, findReader(context, asked))
    if (!caller) throw new Problem('MISSING_AUTH')
    const account = { ...signer, id: parseContractId(id), accountId: caller.accountId }
    return describeContract(context.config, await signByAccount(context, account, termsHash), asked.params.contract)
  },
})

type Asked = Parameters<typeof findReader>[1]

async function findId(asked: Asked, context: ApiContext): Promise<string> {
  if (!PARTY.hasForm(asked.params.contract)) return parseContractId(asked.params.contract)
  return parseContractId((await readContract(context.db, findReader(context, asked))).id)
}

/** What is wrong with a signature is told to those who may read the contract; to others it is as if there were none. */
async function hideFromOthers(error: unknown, asked: Asked, context: ApiContext): Promise<never> {
  if (!asked.caller && !PARTY.hasForm(asked.params.contract)) throw new Problem('NOT_FOUND')
  await readContract(context.db, findReader(context, asked))
  throw error
}
