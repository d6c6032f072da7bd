import { type Db, value } from '../db.ts'
import type { StoredImage, VerificationStatus, VerificationType } from './verifications.ts'

/** A verification as the person sees it who has its link. */
export interface SessionView {
  id: string
  accountId: string
  type: VerificationType
  status: VerificationStatus
  locale: string
  decision: 'approved' | 'declined' | null
  documentTypes: string[]
  challenge: string
  reasonCodes: string[]
  attemptsLeft: number
  reading: boolean
  isInUse: boolean
  /** Who verifies the person, if it is not this service, and the encrypted link to go there. */
  provider: string | null
  providerUrl: string | null
  subject: Record<string, string> | null
  redirectUrl: string | null
  retentionDays: number
  expiresAt: string
}

/** Throws NOT_FOUND, GONE, or SESSION_USED in another browser than the one that began, as those below do. */
export function readSession(db: Db, token: Buffer, session: Buffer | undefined): Promise<SessionView> {
  return value(db, 'select idverify.read_session($1, $2)', [token, session ?? null])
}

/** Throws VERIFICATION_TERMINAL. */
export function beginSession(db: Db, token: Buffer, session: Buffer): Promise<SessionView> {
  return value(db, 'select idverify.begin_session($1, $2)', [token, session])
}

/** Notes the session that was begun at a provider, unless there is one. */
export function joinProvider(
  db: Db,
  token: Buffer,
  session: Buffer | undefined,
  { reference, sealedUrl }: { reference: string; sealedUrl: string },
): Promise<SessionView> {
  return value(db, 'select idverify.join_provider($1, $2, $3, $4)', [token, session ?? null, reference, sealedUrl])
}

/** A provider says that a session has changed. Returns whether an open verification has it. */
export function noteMessage(db: Db, provider: string, reference: string): Promise<boolean> {
  return value(db, 'select idverify.note_message($1, $2)', [provider, reference])
}

/** Throws VERIFICATION_TERMINAL or IMAGES_NOT_EXPECTED. */
export function submitImages(
  db: Db,
  token: Buffer,
  session: Buffer | undefined,
  images: readonly StoredImage[],
): Promise<SessionView> {
  return value(db, 'select idverify.submit($1, $2, $3)', [token, session ?? null, JSON.stringify(images)])
}

/** Records an image that is about to be stored. */
export async function reserveImage(db: Db, accountId: string, key: string, type: string): Promise<void> {
  await value(db, 'select idverify.reserve_image($1, $2, $3)', [accountId, key, type])
}
