import { Problem } from '#kit'
import { requestReport } from '../../../../sql/idverify/verifications.ts'
import { route } from '../../../route.ts'
import { OWNER_ERRORS, parseVerificationId, VerificationParam } from '../schema.ts'

const WAIT_SECONDS = 40

export default route({
  at: 'GET /v1/idverify/verifications/{id}/report',
  summary: 'Read the report of a verification as PDF.',
  keywords: 'kyc report, identity verification certificate, evidence of an identity check, pdf',
  description: 'It has the record with all checks, without images and with the number masked, as it is now.',
  auth: ['key', 'wallet'],
  params: VerificationParam,
  reply: { status: 200, contentType: 'application/pdf' },
  limitSeconds: 60,
  errors: [...OWNER_ERRORS, 'TOO_MANY_WAITS', 'BUSY'],
  async handle({ caller: { accountId }, params, reply }, { db, longPolls, settings, store }) {
    const id = parseVerificationId(params.id)
    const wait = { accountId, seconds: WAIT_SECONDS, reply, max: settings.get('rate.waits_per_account') }
    const key = await longPolls.until(`idverify-report ${id}`, wait, async () => {
      const found = await requestReport(db, accountId, id)
      return { found, isFinal: found !== null, changesInMs: 60_000 }
    })
    if (key === null) throw new Problem('BUSY')
    reply
      .headers({
        'content-type': 'application/pdf',
        'content-disposition': `attachment; filename="${params.id}.pdf"`,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      })
      .send(await store.read(key))
  },
})
