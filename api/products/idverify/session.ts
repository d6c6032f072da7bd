import { Problem } from '#kit'
import { seal, unseal } from '../../../ops/secrets.ts'
import { beginSession, joinProvider, type SessionView, submitImages } from '../../../sql/idverify/sessions.ts'
import type { ApiContext } from '../../context.ts'
import { type CheckedImage, checkImage, withStoredImages } from './images.ts'

/** Whoever has a link, and the browser or program that has started by it. */
export interface Visitor {
  /** The token as the link has it, and its hash. */
  text: string
  token: Buffer
  session: Buffer | undefined
}

interface AskedSide {
  side: 'front' | 'back' | 'selfie'
  isNeeded: boolean
}

/** The images that the person is asked for. */
export function listSides({ type, documentTypes }: SessionView): AskedSide[] {
  const hasBack = documentTypes.some(one => one !== 'passport' && one !== 'visa')
  const document: AskedSide[] = [
    { side: 'front', isNeeded: true },
    ...(hasBack ? [{ side: 'back', isNeeded: false } as const] : []),
  ]
  return [
    ...(type === 'liveness' ? [] : document),
    ...(type === 'document' ? [] : [{ side: 'selfie', isNeeded: true } as const]),
  ]
}

/** Begins, here and at the provider if there is one. Throws SESSION_USED, VERIFICATION_TERMINAL or PROVIDER_UNAVAILABLE. */
export async function begin(context: ApiContext, { text, token, session }: Visitor): Promise<SessionView> {
  const { db, config, identityProvider: provider } = context
  const started = await beginSession(db, token, session!)
  if (!started.provider || started.providerUrl) return started
  if (provider?.name !== started.provider) throw new Problem('PROVIDER_UNAVAILABLE', { provider: started.provider })
  const { id, type, locale, documentTypes, subject } = started
  const returnUrl = `${config.publicUrl}/verify/${text}`
  const asked = { id, type, locale, documentTypes, subject, returnUrl }
  const { reference, url } = await provider.begin(asked, AbortSignal.timeout(BEGIN_MS))
  return joinProvider(db, token, session, { reference, sealedUrl: seal(config.secret, url, id) })
}

const BEGIN_MS = 15_000

/** The page of the provider; undefined if this service verifies, or nothing has started. */
export function openProviderUrl({ config }: Pick<ApiContext, 'config'>, view: SessionView): string | undefined {
  if (!view.providerUrl || view.status !== 'started') return undefined
  return unseal(config.secret, view.providerUrl, view.id)
}

/** Checks and stores the images of one attempt, and has them read. `read` gives the bytes of a side, if there are any. */
export async function submit(
  context: ApiContext,
  view: SessionView,
  { token, session }: Visitor,
  read: (side: AskedSide['side']) => Promise<Buffer | undefined> | Buffer | undefined,
): Promise<SessionView> {
  const images: CheckedImage[] = []
  for (const { side, isNeeded } of listSides(view)) {
    const bytes = await read(side)
    if (!bytes && isNeeded) throw new Problem('INPUT_EMPTY', { field: side })
    if (bytes) images.push(await checkImage(context, { side, bytes }))
  }
  const owner = { accountId: view.accountId, verificationId: view.id }
  return withStoredImages(context, owner, images, stored => submitImages(context.db, token, session, stored))
}

/** A session as its person may see it. */
export function showSession(context: Pick<ApiContext, 'config'>, view: SessionView): object {
  const { id, accountId: _owner, subject: _subject, providerUrl: _sealed, isInUse, ...shown } = view
  const providerUrl = isInUse ? openProviderUrl(context, view) : undefined
  return {
    ...{ id: `idv_${id.replaceAll('-', '')}`, ...shown, isStarted: isInUse, sides: listSides(view) },
    ...(providerUrl && { providerUrl }),
  }
}
