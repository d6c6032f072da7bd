/** Where a file comes from: exactly one of the members. */
export interface Source {
  /** Base64. */
  inline?: string
  text?: string
  /** Of `client.upload`, or the `outputKey` of an earlier answer. */
  inputKey?: string
  /** A baton or its token; of a log, `entryRef` is the number of an entry. */
  batonId?: string
  entryRef?: number
  /** A public address, where this installation fetches files. */
  url?: string
  name?: string
}

/** A table given by its rows. */
export interface Rows {
  rows: ReadonlyArray<Record<string, unknown>>
}

/** A file with what the call takes beside it, such as its name. */
export interface Named {
  content: FileInput
  name?: string
}

/**
 * A file: its path as a text (not in browsers), its bytes, a Blob or File, a stream of bytes, a `URL` (`file:`, or `http:`
 * where this installation fetches files), a source, or a file of an earlier answer. What is too large to be sent within
 * the call is uploaded first.
 */
export type FileInput =
  | string
  | URL
  | Blob
  | ArrayBuffer
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | Source
  | OutputFile

/** A file of an answer; `client.download` and `client.save` get its bytes. */
export interface OutputFile {
  /** Base64, of a small file. */
  inline?: string
  outputKey: string
  outputUrl: string
  sizeBytes: number
  contentType: string
}

/** An answer that is bytes instead of JSON. */
export interface Binary {
  bytes: Uint8Array
  contentType: string
  headers: Headers
}

/** What a call costs. Amounts are in millionths of a US dollar. */
export interface Quote {
  quote?: {
    amountMicros: string
    unit: string
    units: number
    expected: string
    atMost: string
    [name: string]: unknown
  }
  [name: string]: unknown
}

export interface Progress {
  phase: 'upload' | 'run'
  done: number
  total: number
  unit: string
}

/** What an answer was charged and where it can be found again. */
export interface Charge {
  status: number
  chargedMicros: bigint | undefined
  jobId: string | undefined
  requestId: string | undefined
  /** The answer to an earlier call with the same key; nothing was charged. */
  isReplay: boolean
  headers: Headers
}

export interface CallOptions {
  signal?: AbortSignal
  /** For each try. */
  timeoutMs?: number
  /** Left out: a new one for each call. A repeat with the same key is charged once. */
  idempotencyKey?: string
  /** The most that the call may cost, in millionths of a dollar; above it, it is refused with its price. */
  maxPriceMicros?: bigint | number
  /** How often a failed try is repeated where that is safe. */
  maxRetries?: number
  /** How long the service keeps a call of an operation open before it goes on in the background; 25 seconds if left out. */
  waitSeconds?: number
  onProgress?(progress: Progress): void
  /** What the call is charged; of one that goes on in the background, once it has ended. */
  onCharge?(charge: Charge): void
  /** The call goes on in the background, and is waited for. Its ticket can cancel it. */
  onTicket?(ticket: Ticket<unknown>): void
}

/** A call that runs in the background. */
export interface Ticket<Result> {
  readonly id: string
  /** Its state now. */
  read(options?: CallOptions): Promise<TicketState<Result>>
  /** Waits for its result; throws its problem. */
  wait(options?: CallOptions): Promise<Result>
  /** Stops it; what was held for it is released. */
  cancel(options?: CallOptions): Promise<void>
}

export interface TicketState<Result> {
  id: string
  status: 'submitted' | 'running' | 'succeeded' | 'failed' | 'expired'
  progress?: { done: number; total: number; unit: string }
  ceilingMicros: string
  actualMicros?: string
  result?: Result
  error?: { error: string; code: string }
}

/** EIP-712 typed data, as wallets sign it. */
export interface TypedData {
  domain: Record<string, unknown>
  types: Record<string, ReadonlyArray<{ name: string; type: string }>>
  primaryType: string
  message: Record<string, unknown>
}

/** A wallet that signs: an account of viem is one. */
export interface WalletAccount {
  address: string
  // biome-ignore lint/suspicious/noExplicitAny: accounts of viem and others type the data more narrowly than this does.
  signTypedData(data: any): Promise<string>
  signMessage(message: { message: string }): Promise<string>
}

export interface ClientOptions {
  /** Left out: the address of the installation that made this package. */
  baseUrl?: string
  /** An API key, or the token of a signed-in wallet. */
  key?: string
  /** Pays each call by x402: a private key (`0x` and 64 hexadecimal digits), or an account of viem. */
  wallet?: string | WalletAccount
  /** No payment is signed for more. 1 USD if left out. */
  maxPaymentUsd?: number
  /** Further tokens that may be paid with, by their address; those of the installation are known. */
  assets?: readonly string[]
  fetch?: typeof fetch
  /** For each try; 100 seconds if left out. */
  timeoutMs?: number
  /** How often a failed try is repeated where that is safe: 2 if left out, and 7 while a ticket is waited for. */
  maxRetries?: number
  /** Added to every request. */
  headers?: Readonly<Record<string, string>>
}
