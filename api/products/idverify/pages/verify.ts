import { Problem } from '#kit'
import { readSession, type SessionView } from '../../../../sql/idverify/sessions.ts'
import type { ApiContext } from '../../../context.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderNotice } from '../../../pages/parts/layout.ts'
import type { PageRequest } from '../../../pages/parts/page.ts'
import { defineTokenPage, renderTokenPage } from '../../../pages/parts/token-page.ts'
import { withBody } from '../../lease/index.ts'
import { IMAGE_TYPES } from '../images.ts'
import { begin, listSides, openProviderUrl, submit } from '../session.ts'
import { chooseTexts, fill } from '../texts/choose.ts'
import type { Texts } from '../texts/en.ts'
import { markVisitor, readLink, readSession as readMark } from '../visitor.ts'

/** What a form has besides its images. */
const FORM_BYTES = 16_384
const MAX_IMAGES = 3
const RELOAD_SECONDS = '4'

export default [
  defineTokenPage('GET /verify/{token}', async ({ params, request, reply }, context) => {
    const token = readLink(context, request, params.token!)
    const session = await readSession(context.db, token, readMark(context, request))
    if (session.reading && session.status === 'started') reply.header('refresh', RELOAD_SECONDS)
    return render(context, params.token!, session)
  }),

  // A link that is only looked at, as mail scanners do, changes nothing: this button begins.
  defineTokenPage('POST /verify/{token}', async ({ params, request, reply }, context) => {
    const token = readLink(context, request, params.token!)
    const visitor = { text: params.token!, token, session: markVisitor(context, request, reply).session }
    try {
      await begin(context, visitor)
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'PROVIDER_UNAVAILABLE')) throw error
      const session = await readSession(context.db, token, visitor.session)
      reply.code(error.status)
      return render(
        context,
        params.token!,
        session,
        renderNotice('bad', chooseTexts(session.locale).providerUnavailable),
      )
    }
    return { redirectTo: pathOf(params.token!) }
  }),

  // A page that refused an image stands at this address: reloading it, or going back to it, asks for it by GET.
  defineTokenPage('GET /verify/{token}/images', async ({ params }) => ({ redirectTo: pathOf(params.token!) })),

  defineTokenPage('POST /verify/{token}/images', receiveImages, { takesFiles: true }),
]

function pathOf(token: string): string {
  return `/verify/${encodeURIComponent(token)}`
}

async function receiveImages({ params, request, reply }: PageRequest, context: ApiContext) {
  const token = readLink(context, request, params.token!)
  const visitor = { text: params.token!, token, session: readMark(context, request) }
  const session = await readSession(context.db, token, visitor.session)
  const texts = chooseTexts(session.locale)
  const maxBytes = context.settings.get('idverify.max_image_bytes')
  try {
    await withBody(context, request, MAX_IMAGES * maxBytes + FORM_BYTES, async body => {
      const form = await readForm(body, request.headers['content-type'] ?? '')
      await submit(context, session, visitor, side => readFile(form, side))
    })
  } catch (error) {
    const fault = error instanceof Problem ? describeFault(error, texts) : undefined
    if (fault === undefined) throw error
    reply.code((error as Problem).status)
    return render(context, params.token!, session, renderNotice('bad', fault))
  }
  return { redirectTo: pathOf(params.token!) }
}

async function readForm(body: Buffer, type: string): Promise<FormData> {
  const sent = new Response(new Uint8Array(body), { headers: { 'content-type': type } })
  return sent.formData().catch(() => Promise.reject(new Problem('INVALID_MULTIPART')))
}

async function readFile(form: FormData, side: string): Promise<Buffer | undefined> {
  const file = form.get(side)
  return file instanceof File && file.size > 0 ? Buffer.from(await file.arrayBuffer()) : undefined
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
  const content = html`${notice}${renderState(context, token, session, texts)}`
  return renderTokenPage(context, texts.title, content, { locale: session.locale, warning: texts.warning })
}

function renderState(context: ApiContext, token: string, session: SessionView, texts: Texts): Html {
  switch (session.status) {
    case 'created':
      return renderIntro(token, session, texts)
    case 'started':
      if (session.reading)
        return html`<p role="status">${texts.reading}</p><p><a class="button quiet" href="">${texts.reload}</a></p>`
      if (session.provider) return renderProvider(context, token, session, texts)
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

/** The link to the provider, whose page is left to a click: the policy of this page lets no form lead elsewhere. */
function renderProvider(context: ApiContext, token: string, session: SessionView, texts: Texts): Html {
  const url = session.isInUse ? openProviderUrl(context, session) : undefined
  if (!url) return renderIntro(token, session, texts)
  const host = new URL(url).hostname
  return html`${renderRefusal(session, texts)}<p>${fill(texts.provider, { host })}</p><p><a class="button wide" href="${url}" rel="noreferrer">${texts.goOn}</a></p>`
}

function renderRefusal(session: SessionView, texts: Texts): Html | false {
  const reasons = session.reasonCodes.flatMap(code => texts.reasons[code] ?? [])
  if (reasons.length === 0) return false
  const left = fill(texts.attempts, { count: session.attemptsLeft })
  return renderNotice('bad', html`${texts.again} ${reasons.join(' ')} ${left}`)
}

function renderForm(token: string, session: SessionView, texts: Texts): Html {
  const fields = listSides(session).map(({ side, isNeeded }) => {
    // With `capture` a phone opens its camera and offers no photo that it has; of a document it may be one.
    const camera = side === 'selfie' && html` capture="user"`
    return html`<div class="field"><label for="${side}">${texts[side]}</label>${side === 'selfie' && html`<p>${texts.challenge} <strong class="big">${session.challenge}</strong></p>`}<input id="${side}" name="${side}" type="file" accept="${IMAGE_TYPES.join(',')}"${camera} ${isNeeded && html`required`}></div>`
  })
  return html`${renderRefusal(session, texts)}${session.type !== 'liveness' && html`<p class="dim">${texts.hint}</p>`}
<form method="post" action="${pathOf(token)}/images" enctype="multipart/form-data" class="stack">${fields}<button class="button wide" type="submit">${texts.send}</button></form>`
}

function renderEnd({ redirectUrl }: SessionView, texts: Texts, text: string): Html {
  return html`<p role="status">${text}</p>${redirectUrl && html`<p><a class="button wide" href="${redirectUrl}" rel="noreferrer">${texts.goOn}</a></p>`}`
}
