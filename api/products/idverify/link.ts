import type { VerificationView } from '../../../sql/idverify/verifications.ts'
import type { ApiContext } from '../../context.ts'
import { LINK, parseVerificationId } from './schema.ts'

/** The page for the person of a verification. The link is never stored. */
export function writeHostedUrl({ config }: Pick<ApiContext, 'config'>, id: string): string {
  return `${config.publicUrl}/verify/${LINK.derive(config.secret, id)}`
}

/** Adds the page for the person, while it is of use. The link is never stored. */
export function withLink({ config }: Pick<ApiContext, 'config'>, view: VerificationView): object {
  if (view.status !== 'created' && view.status !== 'started') return view
  const token = LINK.derive(config.secret, parseVerificationId(view.id))
  return { ...view, hostedUrl: `${config.publicUrl}/verify/${token}` }
}
