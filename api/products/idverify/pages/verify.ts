import { Problem } from '#kit'
import { beginSession, readSession, type SessionView, submitImages } from '../../../../sql/idverify/sessions.ts'
import type { ApiContext } from '../../../context.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderNotice } from '../../../pages/parts/layout.ts'
import type { PageRequest } from '../../../pages/parts/page.ts'
import { defineTokenPage, renderTokenPage } from '../../../pages/parts/token-page.ts'
import { withBody } from '../../lease/index.ts'
import { type CheckedImage, checkImage, IMAGE_TYPES, withStoredImages } from '../images.ts'
import { chooseTexts, fill } from '../texts/choose.ts'
import type { Texts } from '../texts/en.ts'
import { markBrowser, readBrowser, readLink } from '../visitor.ts'

/** What a form has besides its images. */
const FORM_BYTES = 16_384
const MAX_IMAGES = 3
const RELOAD_SECONDS = '4'

export default [
  defineTokenPage('GET /verify/{token}', async ({ params, request, reply }, context) => {
    const token = readLink(context, request, params.token!)
    const session = await readSession(context.db, token, readBrowser(context, request))
    if (session.reading && session.status === 'started') reply.header('refresh', RELOAD_SECONDS)
    return render(context, params.token!, session)
  }),

  // A link that is only looked at, as mail scanners do, changes nothing: this button begins.
  defineTokenPage('POST /verify/{token}', async ({ params, request, reply }, context) => {
    const token = readLink(context, request, params.token!)
    await beginSession(context.db, token, markBrowser(context, request, reply))
    return { redirectTo: pathOf(params.token!) }
  }),

  defineTokenPage('POST /verify/{token}/images', receiveImages, { takesFiles: true }),
]

function pathOf(token: string): string {
  return `/verify/${encodeURIComponent(token)}`
}

async function receiveImages({ params, request, reply }: PageRequest, context: ApiContext) {
  const token = readLink(context, request, params.token!)
  const browser = readBrowser(context, request)
  const session = await readSession(context.db, token, browser)
  const texts = chooseTexts(session.locale)
  const maxBytes = context.settings.get('idverify.max_image_bytes')
  try {
    await withBody(context, request, MAX_IMAGES * maxBytes + FORM_BYTES, async body => {
      const images = await readImages(context, session, body, request.headers['content-type'] ?? '')
      const owner = { accountId: session.accountId, verificationId: session.id }
      await withStoredImages(context, owner, images, stored => submitImages(context.db, token, browser, stored))
    })
  } catch (error) {
    const fault = error instanceof Problem ? describeFault(error, texts) : undefined
    if (fault === undefined) throw error
    reply.code((error as Problem).status)
    return render(context, params.token!, session, renderNotice('bad', fault))
  }
  return { redirectTo: pathOf(params.token!) }
}

/** The images that the form must have, and the back if it has one. */
async function readImages(
  context: ApiContext,
  session: SessionView,
  body: Buffer,
  type: string,
): Promise<CheckedImage[]> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } })
    .formData()
    .catch(() => Promise.reject(new Problem('INVALID_MULTIPART')))
  const images: CheckedImage[] = []
  for (const { side, isNeeded } of listSides(session)) {
    const file = form.get(side)
    const isGiven = file instanceof File && file.size > 0
    if (!isGiven && isNeeded) throw new Problem('INPUT_EMPTY', { field: side })
    if (isGiven) images.push(await checkImage(context, { side, bytes: Buffer.from(await file.arrayBuffer()) }))
  }
  return images
}

interface AskedSide {
  side: 'front' | 'back' | 'selfie'
  isNeeded: boolean
}

function listSides({ type, documentTypes }: SessionView): AskedSide[] {
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

/** Undefined: it is no fault of an image. */
function describeFault({ code, hints }: Problem, texts: Texts): string | undefined {
  const { field } = hints as { field?: string }
  const text = { INPUT_EMPTY: texts.missing, INPUT_TOO_LARGE: texts.tooLarge, UNSUPPORTED_FORMAT: texts.noImage }[
    code as string
  ]
  const side = field === 'front' || field === 'back' || field === 'selfie' ? texts[field] : ''
  return text && fill(text, { side })
}

function render(context: ApiContext, token: string, session: SessionView, notice?: Html): Html {
  const texts = chooseTexts(session.locale)
  const content = html`${notice}${renderState(token, session, texts)}`
  return renderTokenPage(context, texts.title, content, { locale: session.locale, warning: texts.warning })
}

function renderState(token: string, session: SessionView, texts: Texts): Html {
  switch (session.status) {
    case 'created':
      return renderIntro(token, session, texts)
    case 'started':
      if (session.reading)
        return html`<p role="status">${texts.reading}</p><p><a class="button quiet" href="">${texts.reload}</a></p>`
      return session.isInUse ? renderForm(token, session, texts) : renderIntro(token, session, texts)
    case 'processing':
    case 'manual_review':
      return renderEnd(session, texts, texts.review)
    case 'completed':
      return renderEnd(session, texts, texts.done)
    default:
      return renderEnd(session, texts, texts[session.status])
  }
}

function renderIntro(token: string, { type, documentTypes, retentionDays }: SessionView, texts: Texts): Html {
  const types = documentTypes.map(one => texts.types[one as keyof Texts['types']]).join(', ')
  return html`<p>${texts.intro}</p>
${type !== 'liveness' && html`<p>${fill(texts.needDocument, { types })}</p>`}${type !== 'document' && html`<p>${texts.needFace}</p>`}
<p class="dim">${retentionDays > 0 ? fill(texts.privacy, { days: retentionDays }) : texts.privacyNow}</p>
<form method="post" action="${pathOf(token)}"><button class="button wide" type="submit">${texts.begin}</button></form>`
}

function renderForm(token: string, session: SessionView, texts: Texts): Html {
  const reasons = session.reasonCodes.flatMap(code => texts.reasons[code] ?? [])
  const refused =
    reasons.length > 0 &&
    renderNotice(
      'bad',
      html`${texts.again} ${reasons.join(' ')} ${fill(texts.attempts, { count: session.attemptsLeft })}`,
    )
  const fields = listSides(session).map(({ side, isNeeded }) => {
    const camera = side === 'selfie' ? 'user' : 'environment'
    return html`<div class="field"><label for="${side}">${texts[side]}</label>${side === 'selfie' && html`<p>${texts.challenge} <strong class="big">${session.challenge}</strong></p>`}<input id="${side}" name="${side}" type="file" accept="${IMAGE_TYPES.join(',')}" capture="${camera}" ${isNeeded && html`required`}></div>`
  })
  return html`${refused}<p class="dim">${texts.hint}</p>
<form method="post" action="${pathOf(token)}/images" enctype="multipart/form-data" class="stack">${fields}<button class="button wide" type="submit">${texts.send}</button></form>`
}

function renderEnd({ redirectUrl }: SessionView, texts: Texts, text: string): Html {
  return html`<p role="status">${text}</p>${redirectUrl && html`<p><a class="button wide" href="${redirectUrl}" rel="noreferrer">${texts.goOn}</a></p>`}`
}
