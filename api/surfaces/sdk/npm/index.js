import { installation } from './catalog.js'
import { Client } from './client.js'

/** A client of the installation that made this package. */
export class Coinop extends Client {
  constructor(options) {
    super(installation, options)
  }
}

export { CoinopError, ConnectionError, PaymentRefusedError } from './errors.js'
export * from './problems.js'
export { ReceiptError, verifyReceipt } from './receipt.js'
export { version } from './version.js'
export { openWallet } from './wallet/account.js'
export { verifyMailboxMessage, verifyWebhook, WebhookError } from './webhooks.js'
export { verifyWitness, WitnessError } from './witness.js'
