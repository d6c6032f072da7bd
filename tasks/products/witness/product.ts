import { flagSetting, numberSetting, product } from '#kit'

const witness = product({
  title: 'Witnesses',
  summary: 'Signed statements of what a baton held, and the checks of its chain.',
  exported: 'witness.export_account',
  erase: 'witness.erase_account',
  family: 'baton',
  problems: {
    ALREADY_WITNESSED: [409, 'The baton is already witnessed.'],
    NOT_WITNESSED: [
      409,
      'The baton is not witnessed: POST .../trust/document-witness does that. To check a log without it: POST .../trust/verify-chain.',
    ],
    witness_key_not_configured: [422, 'No witness key is configured.'],
  },
  settings: {
    'baton.rate.witness_micros': numberSetting(
      50_000,
      1,
      1_000_000,
      'What a witness costs that is paid for when the baton is created, in micros.',
    ),
    'baton.trust.verify_chain_full_enabled': flagSetting(
      true,
      'Whether `verify-chain` may hash the content of entries.',
    ),
    'baton.trust.verify_chain_max_entries': numberSetting(
      2_000_000,
      1,
      100_000_000,
      'The longest chain that `verify-chain` checks, in entries.',
    ),
    'baton.trust.verify_chain_full_max_bytes': numberSetting(
      268_435_456,
      1,
      1_099_511_627_776,
      'The largest content that `verify-chain` hashes in mode full, in bytes.',
    ),
    'baton.trust.proof_max_entries': numberSetting(
      20_000,
      1,
      1_000_000,
      'The longest chain whose entries are listed in a proof.',
    ),
  },
})

export default witness

declare module '../../kit/product.ts' {
  interface Products {
    witness: typeof witness
  }
}
