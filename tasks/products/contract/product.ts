import { Type } from 'typebox'
import { event, notification, numberSetting, product, transitions } from '#kit'

const BASE = {
  contractId: Type.String(),
  title: Type.String(),
  referenceId: Type.Union([Type.String(), Type.Null()]),
}
const EXAMPLE = {
  contractId: 'ctr_019ab3c45d6e7f809a1b2c3d4e5f6071',
  title: 'Delivery of a data set',
  referenceId: null,
}
const NullableText = Type.Union([Type.String(), Type.Null()])

const contract = product({
  title: 'Contracts',
  summary: 'Agreements signed by wallet or account, with a log that anyone can check.',
  family: 'contracts',
  scopes: {
    'contracts:read': 'Read the contracts that you have made or are a party to.',
    'contracts:write': 'Make, sign, decline and withdraw contracts in your name, which spends from your balance.',
  },
  dashboard: { path: '/dashboard/contracts', position: 47 },
  states: transitions(
    'svc.contract',
    {
      pending: ['active', 'declined', 'expired', 'withdrawn', 'superseded'],
      active: ['disputed', 'superseded'],
      disputed: ['active', 'ruled'],
      ruled: ['superseded'],
      declined: [],
      expired: [],
      withdrawn: [],
      superseded: [],
    },
    {
      disputed: 'contract.disputed',
      ruled: 'contract.ruled',
      declined: 'contract.declined',
      expired: 'contract.expired',
      withdrawn: 'contract.withdrawn',
      superseded: 'contract.superseded',
    },
  ),
  events: {
    'contract.signed': event({
      of: 'account',
      summary: 'A party has signed a contract that you have made.',
      payload: { ...BASE, partyKey: Type.String() },
      example: { ...EXAMPLE, partyKey: 'seller' },
    }),
    'contract.active': event({
      of: 'account',
      summary: 'All parties that are required have signed a contract.',
      payload: BASE,
      example: EXAMPLE,
    }),
    'contract.disputed': event({
      of: 'account',
      summary: 'A party has opened a dispute about a contract that you have made.',
      payload: { ...BASE, disputeId: Type.String(), claimSha256: Type.String() },
      example: { ...EXAMPLE, disputeId: 'dsp_019ab3c45d6e7f809a1b2c3d4e5f6073', claimSha256: 'ab'.repeat(32) },
    }),
    'contract.ruled': event({
      of: 'account',
      summary: 'A dispute about a contract that you have made was ruled upon.',
      payload: { ...BASE, disputeId: Type.String(), outcome: Type.String(), jws: Type.String() },
      example: { ...EXAMPLE, disputeId: 'dsp_019ab3c45d6e7f809a1b2c3d4e5f6073', outcome: 'split', jws: 'eyJ...' },
    }),
    'contract.declined': event({
      of: 'account',
      summary: 'A party has declined a contract, which ends it.',
      payload: { ...BASE, partyKey: Type.String(), reason: NullableText },
      example: { ...EXAMPLE, partyKey: 'buyer', reason: 'The price has changed.' },
    }),
    'contract.expired': event({
      of: 'account',
      summary: 'A contract was not signed in time.',
      payload: BASE,
      example: EXAMPLE,
    }),
    'contract.withdrawn': event({
      of: 'account',
      summary: 'You have withdrawn a contract.',
      payload: BASE,
      example: EXAMPLE,
    }),
    'contract.superseded': event({
      of: 'account',
      summary: 'Another contract, which all parties have signed, has taken the place of this one.',
      payload: { ...BASE, by: Type.String() },
      example: { ...EXAMPLE, by: 'ctr_019ab3c45d6e7f809a1b2c3d4e5f6072' },
    }),
  },
  notifications: {
    'contract.invitation': notification({
      summary: 'Somebody is asked to read and sign a contract.',
      data: { title: Type.String(), name: NullableText, expiresAt: Type.String(), url: Type.String() },
      secrets: ['url'],
      example: {
        title: 'Delivery of a data set',
        name: 'Ida',
        expiresAt: '2026-12-24T10:00:00.000Z',
        url: 'https://coinop.example/contracts/ctp_example',
      },
      subject: ({ title }) => `Please read and sign: ${title.replaceAll(/\p{Cc}/gu, ' ')}`,
      text: ({ title, name, expiresAt, url }) =>
        `${name ? `Hello ${name},\n\n` : ''}you are asked to read and sign a contract:\n\n${title}\n\nSign or decline until ${expiresAt.slice(0, 16).replace('T', ' ')} UTC here:\n\n${url}\n\nWhoever has this link can read the contract, so do not pass it on.\n`,
    }),
  },
  problems: {
    SIGNATURE_INVALID: [401, 'The signature is not that of the address over the typed data of this party.'],
    NOT_A_PARTY: [403, 'You are not the party that you act for.'],
    WRONG_METHOD: [403, 'This party signs in another way, which is in `required`; neither does for the other.'],
    ALREADY_SIGNED: [409, 'This party has signed.'],
    CONTRACT_NOT_PENDING: [409, 'The contract waits for no signature any more; make a new one to change it.'],
    TERMS_HASH_MISMATCH: [409, 'The terms are not those that you agreed to. Read the contract again.'],
    NOT_SUPERSEDABLE: [409, 'Only a pending or active contract of yours between the same parties can be superseded.'],
    CONTRACT_EXPIRED: [410, 'The contract was not signed in time; its creator can make a new one.'],
    ARBITRATION_NOT_AGREED: [409, 'The parties have not agreed to arbitration: the contract has no such terms.'],
    CONTRACT_NOT_ACTIVE: [
      409,
      'Only a contract that all parties have signed can be disputed, and one that was not ruled upon.',
    ],
    DISPUTE_OPEN: [409, 'A dispute about this contract is open; add evidence to that one.'],
    DISPUTE_NOT_DUE: [409, 'The dispute waits for no ruling: its time for evidence is not over, or it has ended.'],
    EVIDENCE_CLOSED: [409, 'The time for evidence is over, so this cannot be done any more.'],
    TOO_MUCH_EVIDENCE: [409, 'The party has given as much evidence as it can: by number or by the size of its files.'],
    TOO_MANY_CONTRACTS: [409, 'The account has as many pending contracts as it can have; withdraw one first.'],
  },
  settings: {
    'contract.max_open': numberSetting(1_000, 1, 1_000_000, 'How many pending contracts one account may have.'),
    'contract.days': numberSetting(
      90,
      1,
      3_650,
      'How long contracts that were declined, withdrawn or not signed in time are kept, in days.',
    ),
    'contract.max_evidence_bytes': numberSetting(
      10_485_760,
      1,
      33_554_432,
      'The most that all files have together which one party hands in as evidence in one dispute.',
    ),
    'contract.operator_days': numberSetting(
      14,
      1,
      90,
      'How many days after the evidence the operator has to rule where a contract names him; then the price is given back.',
    ),
    'rate.contract_calls_per_minute': numberSetting(
      120,
      1,
      1_000_000,
      'Calls and pages per minute with the link of one party, with such links from one address, and signatures from one address.',
    ),
  },
  retention: [
    {
      of: 'contracts that came to nothing, with their logs',
      after: 'contract.days',
      removedBy: 'chore contract.forget',
    },
    {
      of: 'contracts that were signed, with their logs, disputes and files of evidence',
      after: 'the account of their creator is erased',
      removedBy: 'contract.erase_account',
    },
  ],
  erase: 'contract.erase_account',
  exported: 'contract.export_account',
})

export default contract

declare module '../../kit/product.ts' {
  interface Products {
    contract: typeof contract
  }
}
