import type { Calls } from './api.js'
import type { CallOptions, ClientOptions, FileInput, OutputFile, Ticket, WalletAccount } from './types.js'

/** A client of the installation that made this package. */
export declare class Coinop {
  constructor(options?: ClientOptions)
  readonly baseUrl: string
  /** A ticket of an earlier call. */
  ticket<Result = unknown>(id: string): Ticket<Result>
  /** The signed receipt of a call that has ended, by the id of its job. `verifyReceipt` checks it without the service. */
  receipt(jobId: string, options?: CallOptions): ReturnType<Calls['jobs']['receipt']>
  /** Stores a file for up to a day and returns its key, which is a source in any call: `{ inputKey }`. */
  upload(file: FileInput, options?: CallOptions): Promise<string>
  /** The bytes of a file of an answer. */
  download(file: OutputFile, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>
  /** Writes a file of an answer to the disk. */
  save(file: OutputFile, path: string | URL, options?: CallOptions): Promise<void>
}
export interface Coinop extends Calls {}

/** What the service refused or failed to do. A failed call costs nothing. */
export declare class CoinopError extends Error {
  readonly code: string
  /** 0 if there was no answer. */
  readonly status: number
  /** What the service says besides the sentence, such as `field`, `allowed` or `didYouMean`. */
  readonly hints: Readonly<Record<string, unknown>>
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
}
/** There was no answer: no connection, or none in time. A paid call with the `idempotencyKey` of its hints is charged once. */
export declare class ConnectionError extends CoinopError {}
/** The wallet refuses to sign: the price is above the limit, or the token is not one that it pays with. */
export declare class PaymentRefusedError extends CoinopError {}

/** A wallet of a private key, which signs in this process. */
export declare function openWallet(privateKey: string): WalletAccount

/** A delivery that was signed with the secret. */
export interface WebhookEvent {
  /** Such as `job.completed`. */
  type: string
  /** The same for every try of a delivery: a receiver that knows it already has nothing to do. */
  id: string
  body: Record<string, unknown>
}
type HeaderValues = Headers | Readonly<Record<string, string | readonly string[] | undefined>>
/**
 * Checks a delivery and returns its event. `body` is the body as it came, before anything has parsed it. A delivery that
 * was signed more than five minutes ago is refused, because anyone who has seen it could send it again.
 */
export declare function verifyWebhook(
  body: string | Uint8Array,
  headers: HeaderValues,
  secret: string,
  options?: { toleranceSeconds?: number },
): Promise<WebhookEvent>
/** Checks a message that a mailbox passed on, whose signature is the `X-Mailbox-Signature`. */
export declare function verifyMailboxMessage(
  body: string | Uint8Array,
  signature: string,
  secret: string,
): Promise<boolean>
export declare class WebhookError extends Error {}

/**
 * Checks a witness without the service: that its statement was signed by one of the keys, that the content is the one
 * that was signed, and, if the proof lists the entries, that they are the chain that was signed.
 * `proof` is what `client.baton.proof` answers, and `keys` what `client.system.jwks` does.
 */
export declare function verifyWitness(
  proof: unknown,
  keys: unknown,
  content?: Uint8Array,
): Promise<{ entries: number; isChainChecked: boolean }>
export declare class WitnessError extends Error {}

/** What a receipt says of a call. */
export type ReceiptPayload = Awaited<ReturnType<Calls['jobs']['receipt']>>['payload']
/**
 * Checks a receipt, or its JWS alone, without the service: that one of the keys signed what it says, and that the file, if one
 * is given, went into the call or came out of it. Returns what was signed. `keys` is what `client.system.jwks` answers.
 */
export declare function verifyReceipt(receipt: unknown, keys: unknown, file?: Uint8Array): Promise<ReceiptPayload>
export declare class ReceiptError extends Error {}

export type * from './api.js'
export * from './problems.js'
export type * from './types.js'
export * from './version.js'
