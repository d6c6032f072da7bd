import { Problem } from '#kit'
import type { ApiContext } from '../../../context.ts'
import { renderNotice } from '../../../pages/parts/layout.ts'
import { definePublicPage, type PageRequest } from '../../../pages/parts/page.ts'
import { defineSitePage, renderSitePage } from '../../../pages/parts/site.ts'
import { withBody } from '../../lease/index.ts'
import { readTrialForm } from '../form.ts'
import { requireTrial, runTrial } from '../run.ts'
import { TRIES, type Try } from '../tries.ts'
import { describeOverview, describeTry } from '../view.ts'

/** What a form has besides its file. */
const FORM_BYTES = 16_384

export default [
  defineSitePage('/try', (_, context) => describeOverview(context)),

  ...TRIES.map(attempt => defineSitePage(`/try/${attempt.name}`, (_, context) => describeTry(context, attempt))),

  {
    ...definePublicPage('POST /try/{name}', async (page, context) => receive(page, context)),
    takesFiles: true,
  },
]

async function receive(page: PageRequest, context: ApiContext) {
  const { params, request, reply } = page
  const attempt = TRIES.find(({ name }) => name === params.name)
  if (!attempt) throw new Problem('NOT_FOUND')
  let values: Readonly<Record<string, string>> = {}
  try {
    requireTrial(context, request)
    const maxBytes = context.settings.get('trial.max_bytes')
    const form = await withBody(context, request, maxBytes + FORM_BYTES, body =>
      readTrialForm(attempt, body, request.headers['content-type'] ?? ''),
    )
    values = form.values
    const token = await runTrial(context, { request, reply }, { attempt, ...form })
    return { redirectTo: `/try/${attempt.name}/result?of=${encodeURIComponent(token)}` }
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'INTERNAL') throw error
    return refuse(page, context, { attempt, values, problem: error })
  }
}

/** The form again, with what was typed and what is wrong with it. */
function refuse(
  { session, reply }: PageRequest,
  context: ApiContext,
  { attempt, values, problem }: { attempt: Try; values: Readonly<Record<string, string>>; problem: Problem },
) {
  reply.code(problem.status)
  const reason = typeof problem.hints.reason === 'string' ? ` ${problem.hints.reason}` : ''
  const notice = renderNotice('bad', `${problem.message}${reason} Nothing was charged.`)
  return renderSitePage(
    context,
    { session },
    { ...describeTry(context, attempt, { values, notice }), isUnlisted: true },
  )
}
