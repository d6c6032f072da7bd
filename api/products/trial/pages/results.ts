import { Problem } from '#kit'
import { type JobRecord, readJob } from '../../../../sql/job.ts'
import { findTrialAccount } from '../../../../sql/trial/trials.ts'
import type { ApiContext } from '../../../context.ts'
import { download, findFile, SANDBOX } from '../../../pages/parts/outputs/files.ts'
import { sendPreview } from '../../../pages/parts/outputs/preview.ts'
import { definePublicPage, type PageRequest } from '../../../pages/parts/page.ts'
import { renderSitePage } from '../../../pages/parts/site.ts'
import { serializeJob } from '../../../routes/jobs/schema.ts'
import { describeResultPage, readInput } from '../result-view.ts'
import { openResult, type TrialResult } from '../token.ts'
import { TRIES } from '../tries.ts'

interface Opened {
  accountId: string
  result: TrialResult
  job: JobRecord
}

/** The result behind the address of a page; NOT_FOUND if it is not one, or gone. */
async function open({ config, db }: ApiContext, { query }: PageRequest): Promise<Opened> {
  const result = openResult(config.secret, query.of ?? '')
  const accountId = await findTrialAccount(db)
  const job = accountId === undefined ? undefined : await readJob(db, accountId, result.jobId)
  if (!job) throw new Problem('NOT_FOUND')
  return { accountId: accountId!, result, job }
}

export default [
  definePublicPage('GET /try/{name}/result', async (page, context) => {
    const opened = await open(context, page)
    const attempt = TRIES.find(({ name }) => name === opened.result.name)!
    const content = await describeResultPage(context, { ...opened, attempt, of: page.query.of! })
    return renderSitePage(context, page, { ...content, isUnlisted: true })
  }),

  definePublicPage('GET /try/{name}/result/files/{index}', async (page, context) => {
    const { accountId, result } = await open(context, page)
    return download(context, await findFile(context, accountId, { id: result.jobId, index: page.params.index! }))
  }),

  definePublicPage('GET /try/{name}/result/files/{index}/preview', async (page, context) => {
    const { accountId, result } = await open(context, page)
    const file = await findFile(context, accountId, { id: result.jobId, index: page.params.index! })
    return sendPreview(context, accountId, file)
  }),

  /** What was tried, to be shown beside what came of it. */
  definePublicPage('GET /try/{name}/result/input', async (page, context) => {
    const { accountId, result } = await open(context, page)
    const input = await readInput(context, accountId, result)
    if (!input) throw new Problem('NOT_FOUND')
    return sendPreview(context, accountId, input)
  }),

  definePublicPage('GET /try/{name}/result/result.json', async (page, context) => {
    const { job } = await open(context, page)
    const { result } = (await serializeJob(context, job)) as { result?: unknown }
    if (result === undefined) throw new Problem('NOT_FOUND')
    const headers = { 'content-type': 'application/json; charset=utf-8', ...SANDBOX }
    return { headers, body: Buffer.from(JSON.stringify(result, null, 2)) }
  }),
]
