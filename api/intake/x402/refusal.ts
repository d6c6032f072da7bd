import { type Hints, Problem, type ProblemCode } from '#kit'

/** The protocol's words for what is wrong with a payment. */
export const REASONS = {
  payload: 'invalid_payload',
  kind: 'unsupported_payload_type',
  scheme: 'invalid_exact_evm_scheme',
  network: 'invalid_exact_evm_network_mismatch',
  requirements: 'invalid_payment_requirements',
  signatureForm: 'invalid_exact_evm_failed_to_parse_signature',
  signature: 'invalid_exact_evm_signature',
  recipient: 'invalid_exact_evm_recipient_mismatch',
  validBefore: 'invalid_exact_evm_payload_authorization_valid_before',
  validAfter: 'invalid_exact_evm_payload_authorization_valid_after',
  value: 'invalid_exact_evm_payload_authorization_value_mismatch',
  nonceUsed: 'invalid_exact_evm_nonce_already_used',
} as const

const CODES: Record<string, ProblemCode> = {
  [REASONS.signatureForm]: 'INVALID_PAYMENT_SIGNATURE',
  [REASONS.signature]: 'INVALID_PAYMENT_SIGNATURE',
  [REASONS.value]: 'UNDERPAID',
}

/** A payment that does not hold. `reason` is the protocol's word, which the fresh offer repeats. */
export function refused(reason: string, hints: Hints = {}): Problem {
  return new Problem(CODES[reason] ?? 'PAYMENT_REQUIRED', { ...hints, reason })
}
