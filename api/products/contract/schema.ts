import { Type } from 'typebox'
import { Choice, Problem } from '#kit'
import { defineTokens } from '../../../ops/tokens.ts'

const Time = Type.String({ format: 'date-time' })
const NullableText = Type.Union([Type.String(), Type.Null()])
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' })

export const STATUSES = [
  ...(['pending', 'active', 'disputed', 'ruled', 'declined', 'expired', 'withdrawn', 'superseded'] as const),
]

export const ContractParam = Type.Object({
  contract: Type.String({ maxLength: 100, description: 'The id of a contract, or the token of the link of a party.' }),
})

export const OwnContractParam = Type.Object({
  contract: Type.String({ maxLength: 100, description: 'The id of a contract.' }),
})

export const PartyKey = Type.String({ pattern: '^[\\w-]{1,50}$', description: 'The key of the party that acts.' })

const Party = Type.Object({
  id: Type.String({ format: 'uuid' }),
  key: Type.String(),
  name: NullableText,
  role: NullableText,
  method: Choice(['wallet', 'account']),
  address: NullableText,
  customerId: NullableText,
  email: NullableText,
  required: Type.Boolean(),
  nonce: Type.String(),
  status: Choice(['pending', 'signed', 'declined']),
  signature: NullableText,
  signedAt: Type.Union([Time, Type.Null()]),
  signPayload: Type.Optional(
    Type.Unknown({
      description:
        'What a pending party signs: of a wallet the typed data for `eth_signTypedData_v4`, of an account what to send. `signedAt` goes with the signature.',
    }),
  ),
})

const Evidence = Type.Object({
  id: Type.String({ description: 'Such as `e1`; findings name it.' }),
  partyKey: Type.String(),
  title: Type.String(),
  text: NullableText,
  file: Type.Union(
    [Type.Object({ name: Type.String(), contentType: Type.String(), sizeBytes: Type.Integer() }), Type.Null()],
    { description: 'A file, at GET /v1/contracts/{contract}/disputes/{dispute}/evidence/{evidence}.' },
  ),
  sha256: Hash,
  createdAt: Time,
})

export const Dispute = Type.Object({
  disputeId: Type.String(),
  contractId: Type.String(),
  status: Choice(['open', 'deliberating', 'ruled', 'withdrawn', 'failed']),
  claimant: Type.String(),
  claim: Type.String(),
  requestedRelief: Type.String(),
  evidenceDeadline: Time,
  evidence: Type.Array(Evidence),
  rulingUntil: Type.Union([Time, Type.Null()], {
    description: 'Until when the operator can rule where the contract names him. Then the dispute fails.',
  }),
  ruling: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
    description:
      '`outcome`, `summary`, `findings` with words of the contract as they stand there, `reliefSuggested`, `confidence`, `model`, and the hashes of what the model was told.',
  }),
  jws: Type.Union([Type.String(), Type.Null()], { description: 'The ruling, signed by a key of this service.' }),
  createdAt: Time,
  endedAt: Type.Union([Time, Type.Null()]),
})

const Signature = Type.Object({
  partyKey: Type.String(),
  method: Choice(['wallet', 'account']),
  address: Type.Optional(Type.String({ description: 'Of a wallet.' })),
  accountRef: Type.Optional(Type.String({ description: 'The id of the account that has agreed.' })),
  signedAt: Time,
  signature: Type.Optional(Type.String({ description: 'Of a wallet.' })),
  entrySeq: Type.Integer({ description: 'The number of its entry in the log.' }),
})

export const DisputeReply = Type.Object({ ...Dispute.properties, notice: Type.String() })

export const NewDisputeReply = Type.Object({
  ...DisputeReply.properties,
  ticket: Type.String({ description: 'The job that was paid, at GET /v1/jobs/{ticket}.' }),
})

export const DisputeParams = Type.Object({
  contract: Type.String({ maxLength: 100, description: 'The id of a contract, or the token of the link of a party.' }),
  dispute: Type.String({ maxLength: 100 }),
})

export const Contract = Type.Object({
  id: Type.String(),
  status: Choice(STATUSES),
  title: Type.String(),
  document: Type.Object({}, { additionalProperties: true, description: 'All that the parties agree to.' }),
  termsHash: Type.String({ description: 'SHA-256 of the canonical JSON (RFC 8785) of `document`.' }),
  chainId: Type.Integer(),
  parties: Type.Array(Party),
  allSigned: Type.Boolean(),
  signatures: Type.Array(Signature, { description: 'As the log has them.' }),
  proofUrl: Type.String({ description: 'The bundle that shows all of it to others, offline too.' }),
  disputes: Type.Array(Dispute),
  log: Type.Object({ entries: Type.Integer(), head: Hash }),
  supersedes: NullableText,
  supersededBy: NullableText,
  referenceId: NullableText,
  metadata: Type.Unknown(),
  batonId: Type.Union([Type.String(), Type.Null()], {
    description: 'For its creator: the ledger that holds a copy of the log.',
  }),
  isCreator: Type.Boolean(),
  partyKey: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'The party that you are.' })),
  createdAt: Time,
  expiresAt: Time,
  activeAt: Type.Union([Time, Type.Null()]),
  statusAt: Time,
  notice: Type.String(),
})

export const NewContractReply = Type.Object({
  ...Contract.properties,
  partyUrls: Type.Array(Type.Object({ partyKey: Type.String(), url: Type.String() }), {
    description: 'The page on which each party reads and signs. Give each to its party alone.',
  }),
})

export const NOTICE =
  'This service records who agreed to what, and when. It holds no money, gives no legal advice, and does not claim that a contract is legally binding.'

/** The token of the id of a party, so that a repeat of the call is told the same. */
export const PARTY = defineTokens('ctp_', 'contract-party')

export const READER_ERRORS = [
  ...(['NOT_FOUND', 'RATE_LIMITED', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'] as const),
]

/** The id without its prefix, as the database has it. */
export function parseContractId(text: string): string {
  return parseId('ctr_', text)
}

export function parseDisputeId(text: string): string {
  return parseId('dsp_', text)
}

/** The place of evidence in its dispute, by its id such as `e1`. */
export function parseEvidenceId(text: string): number {
  const position = /^e([1-9]\d{0,8})$/.exec(text)?.[1]
  if (position === undefined) throw new Problem('NOT_FOUND')
  return Number(position)
}

function parseId(prefix: string, text: string): string {
  const hex = text.slice(prefix.length)
  if (!text.startsWith(prefix) || !/^[0-9a-f]{32}$/.test(hex)) throw new Problem('NOT_FOUND')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
