import { numberSetting, product, transitions } from '#kit'

const handoff = product({
  title: 'Hand-off',
  summary: 'A link by which somebody else takes a stored file.',
  family: 'leases',
  states: transitions('svc.handoff', {
    issued: ['claimed', 'revoked', 'expired'],
    claimed: [],
    revoked: [],
    expired: ['revoked'],
  }),
  exported: 'handoff.export_account',
  retention: [
    { of: 'hand-offs and their audit logs', after: 'the record of their lease', removedBy: 'step lease.forget' },
  ],
  problems: {
    PIN_REQUIRED: [403, 'The claim needs the PIN of the handoff.'],
    PIN_WRONG: [403, 'The PIN is wrong.'],
    HANDOFF_LOCKED: [403, 'The PIN was wrong too often; ask the owner for a new link.'],
    ALREADY_CLAIMED: [409, 'The handoff was claimed as often as it may be.'],
    HANDOFF_UNSUPPORTED_LEASE: [422, 'Only storage leases can be handed off.'],
    HANDOFF_BILLING_NOT_READY: [501, 'Paid handoff is not available yet.'],
  },
  settings: {
    'lease.handoff_issue_micros': numberSetting(
      0,
      0,
      1_000_000,
      'What a handoff costs its owner; above 0 none is issued yet.',
    ),
    'lease.handoff_claim_micros': numberSetting(
      0,
      0,
      1_000_000,
      'What a claim costs its claimant; above 0 none is taken yet.',
    ),
    'rate.claims_per_minute': numberSetting(60, 1, 1_000_000, 'Handoff links per minute that one address may follow.'),
    'rate.claims_per_link_per_minute': numberSetting(
      600,
      1,
      1_000_000,
      'How often per minute all addresses together may follow one handoff link.',
    ),
  },
})

export default handoff

declare module '../../kit/product.ts' {
  interface Products {
    handoff: typeof handoff
  }
}
