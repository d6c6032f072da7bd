import type { StepDeps } from '../step-deps.ts'
import type { DocumentEngine, StoredFile } from './document.ts'

/** What the steps of envelopes are given besides what every step is. */
export interface EnvelopeDeps {
  documents: DocumentEngine
  /** Writes a document of an office program as a PDF. */
  convert(file: StoredFile, signal: AbortSignal): Promise<Uint8Array>
  /** The size of an image, and whether it shows anything. */
  measureImage(file: StoredFile, signal: AbortSignal): Promise<{ width: number; height: number; isBlank: boolean }>
  /** The page of a recipient. */
  writeLink(recipientId: string, nonce: string): string
  /** Sends a text message. Returns why it will never be taken, or undefined. */
  sendText(to: string, message: { key: string; text: string }, signal: AbortSignal): Promise<string | undefined>
  hasTimestamps: boolean
  /** Signs what the ledger of an envelope holds, and freezes it. */
  witnessLedger(batonId: string): Promise<void>
}

export type EnvelopeStepDeps<Callers> = StepDeps<Callers> & EnvelopeDeps
