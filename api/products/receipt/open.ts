import { PaymentProofs } from '../../../ops/products/receipt/payment-proofs.ts'
import type { OpenedProduct, PlatformParts } from '../../product-parts.ts'

/** The signatures of x402. The key is opened where payments are taken. */
export default function openReceipts(platform: PlatformParts): OpenedProduct {
  const proofs = new PaymentProofs(platform)
  const reopen = () => void (proofs.isOpen() && proofs.refresh())
  return {
    calls: { proofs },
    onChange: what => what === 'signing_key' && reopen(),
    onMissed: reopen,
  }
}
