import { type Hints, Problem, type ProblemCode } from '#kit'

/** The protocol's names for what is wrong with a payment. */
export const REASONS = {
  version: 'invalid_x402_version',
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

/** A payment that was not accepted. Its `reason` is also sent in the header that clients of the protocol read. */
export class PaymentProblem extends Problem {
  constructor(code: ProblemCode, hints: Hints & { reason: string }) {
    super(code, hints)
  }
}

/** An invalid payment; `reason` is the protocol's word and is repeated in the new offer. */
export function refused(reason: string, hints: Hints = {}): PaymentProblem {
  return new PaymentProblem(CODES[reason] ?? 'PAYMENT_REQUIRED', { ...hints, reason })
}
