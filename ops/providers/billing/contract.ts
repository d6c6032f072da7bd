/** What a message of the billing provider means. `event` is its id: the provider repeats it until we acknowledge it. */
export type BillingEvent =
  | {
      kind: 'paid'
      event: string
      checkoutId: string
      amountMicros: bigint
      reference: string
      intent: string | undefined
    }
  | { kind: 'ended'; event: string; checkoutId: string; reason: 'expired' | 'failed' }
  | {
      kind: 'reversed'
      event: string
      intent: string
      subject: string
      amountMicros: bigint
      isClosed: boolean
      /** The message names one of our checkouts, so if the payment is unknown it is still to come. */
      isOurs: boolean
    }
  | { kind: 'refund'; id: string; charge: string; intent: string; amountMicros: bigint; isFailed: boolean }

/** Takes payments by card: on a page of the provider, which then reports the payment in a signed message. */
export interface BillingProvider {
  openCheckout(checkout: {
    id: string
    amountMicros: bigint
    email?: string
    returnUrl: string
  }): Promise<{ url: string; reference: string }>
  /** Gives undefined for a message that does not concern us; throws if the signature is not the provider's. */
  readEvent(message: Buffer, signature: string): Promise<BillingEvent | undefined>
}
