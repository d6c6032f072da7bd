/** The protocol's reasons for refusing a payment. */
export const REASONS = {
  payload: 'invalid_payload',
  asset: 'invalid_exact_evm_asset_mismatch',
  signature: 'invalid_exact_evm_signature',
  factory: 'eip6492_factory_not_allowed',
  recipient: 'invalid_exact_evm_recipient_mismatch',
  validBefore: 'invalid_exact_evm_payload_authorization_valid_before',
  validAfter: 'invalid_exact_evm_payload_authorization_valid_after',
  value: 'invalid_exact_evm_payload_authorization_value_mismatch',
  nonceUsed: 'invalid_exact_evm_nonce_already_used',
  balance: 'invalid_exact_evm_insufficient_balance',
  simulation: 'invalid_exact_evm_transaction_simulation_failed',
  transaction: 'invalid_exact_evm_transaction_failed',
  event: 'invalid_exact_evm_transfer_event_mismatch',
  deployment: 'smart_wallet_deployment_failed',
} as const

const REVERT_PATTERNS: [RegExp, string][] = [
  [/used or cancell?ed/i, REASONS.nonceUsed],
  [/expired/i, REASONS.validBefore],
  [/not yet valid/i, REASONS.validAfter],
  [/invalid signature|ECRecover/i, REASONS.signature],
  [/exceeds balance/i, REASONS.balance],
]

/** Translates a revert message of the contract into a reason of the protocol. */
export function toReason(message: string): string {
  return REVERT_PATTERNS.find(([pattern]) => pattern.test(message))?.[1] ?? REASONS.simulation
}
