import type { DocumentType, ReasonCode } from '../../../tasks/formats/identity/reasons.ts'

/** What a person is to be verified by. */
export interface NewIdentitySession {
  /** Of the verification. A provider that is asked twice for one id begins one session, if it can tell. */
  id: string
  type: 'document' | 'liveness' | 'biometric'
  /** Where the provider leads the person in the end. */
  returnUrl: string
  locale: string
  documentTypes: readonly string[]
  subject: { firstName?: string; lastName?: string; dob?: string } | null
}

/** A document as a provider has read it. */
export interface ProvidedDocument {
  type: DocumentType
  /** Three letters. */
  issuingCountry: string
  number: string | null
  firstName: string | null
  lastName: string | null
  dob: string | null
  expiry: string | null
  sex: string | null
}

export interface ProvidedResult {
  /** `retake`: the person must send other images, to which `attempt` gives a name. */
  state: 'open' | 'processing' | 'retake' | 'approved' | 'declined' | 'review' | 'expired' | 'cancelled'
  attempt: string | null
  reasonCodes: ReasonCode[]
  document: ProvidedDocument | null
  /** Of the faces, from 0 to 100. */
  similarity: number | null
}

/** Verifies persons on pages of its own. The methods throw PROVIDER_UNAVAILABLE. */
export interface IdentityProvider {
  readonly name: string
  /** What it can verify. */
  readonly types: readonly NewIdentitySession['type'][]
  begin(session: NewIdentitySession, signal: AbortSignal): Promise<{ reference: string; url: string }>
  read(reference: string, signal: AbortSignal): Promise<ProvidedResult>
  /** Ends a session that nobody needs any more, if it has not ended. */
  cancel(reference: string, signal: AbortSignal): Promise<void>
  /** Forgets what was collected of the person. */
  erase(reference: string, signal: AbortSignal): Promise<void>
  /** The session that a message of the provider is about; undefined if it is about something else. Throws INVALID_WEBHOOK_SIGNATURE. */
  readMessage(body: Buffer, headers: Readonly<Record<string, string | string[] | undefined>>): string | undefined
}
