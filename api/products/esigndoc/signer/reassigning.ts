import { newId } from '#kit'
import { type Origin, readForSigning, reassignSigning, type Signer } from '../../../../sql/esigndoc/signing.ts'
import { requireWritable } from '../../../../tasks/products/esigndoc/mark.ts'
import type { ApiContext } from '../../../context.ts'
import { newLink } from '../recipients.ts'
import { requireAdmitted } from './signing.ts'

/**
 * Passes an envelope on. The new recipient proves who they are by mail, if the first one had to prove anything that only they
 * can, and mail can be sent here.
 */
export async function reassignAs(
  context: ApiContext,
  signer: Signer,
  { name, email }: { name: string; email: string },
  { origin, field }: { origin: Origin; field: string },
): Promise<void> {
  const view = await readForSigning(context.db, signer)
  requireAdmitted(view)
  requireWritable(name, field, 'INVALID_PARAM')
  const id = newId()
  const verification = view.verification !== 'none' && context.mail.isSending ? 'email_otp' : 'none'
  const to = { id, name, email: email.toLowerCase(), delivery: 'email', verification, ...newLink(context, id) }
  await reassignSigning(context.db, signer, to, origin)
}
